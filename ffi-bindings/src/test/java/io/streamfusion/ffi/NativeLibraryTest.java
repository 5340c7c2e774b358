package io.streamfusion.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.generated.AbiFingerprint;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLibraryTest {
    @TempDir Path temporary;

    @Test
    void twoClassLoadersUseOneLibrary() throws Exception {
        try (URLClassLoader first = ownClasses();
                URLClassLoader second = ownClasses()) {
            assertThat(symbol(first)).isEqualTo(symbol(second));
            long before = liveHandles(second);
            try (AutoCloseable budget = budget(first)) {
                assertThat(budget.getClass()).isNotEqualTo(NativeBudget.class);
                assertThat(liveHandles(second)).isEqualTo(before + 1);
            }
            assertThat(liveHandles(second)).isEqualTo(before);
        }
    }

    @Test
    void whatIsNoLibraryIsRefused() throws IOException {
        Path text = Files.writeString(temporary.resolve("libstreamfusion.so"), "text");

        assertThatThrownBy(() -> NativeLibrary.open(text))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining(text.toString())
                .hasMessageContaining(NativePlatform.current().name());
    }

    @Test
    void anotherLibraryIsRefused() {
        Path zip = Path.of(System.getProperty("java.home"), "lib", System.mapLibraryName("zip"));

        assertThatThrownBy(() -> NativeLibrary.open(zip))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining("no function sf_abi_version");
    }

    @Test
    void aLibraryBuiltFromAnotherHeaderIsRefused() throws IOException {
        byte[] library = packedLibrary();
        int at = indexOf(library, AbiFingerprint.HEADER_SHA256.getBytes(StandardCharsets.US_ASCII));
        library[at] = (byte) (library[at] == '0' ? '1' : '0');
        Path other = Files.write(temporary.resolve("libstreamfusion.so"), library);

        assertThatThrownBy(() -> NativeLibrary.open(other))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining("built from the header " + (char) library[at])
                .hasMessageContaining(AbiFingerprint.HEADER_SHA256);
    }

    @Test
    void everyFunctionOfTheHeaderIsThere() {
        SymbolLookup symbols = NativeLibrary.symbols();

        assertThat(AbiFingerprint.FUNCTIONS)
                .isNotEmpty()
                .allSatisfy(function -> assertThat(symbols.find(function)).isPresent());
    }

    private static URLClassLoader ownClasses() {
        URL classes = NativeLibrary.class.getProtectionDomain().getCodeSource().getLocation();
        return new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader());
    }

    private static MemorySegment symbol(ClassLoader loader) throws ReflectiveOperationException {
        SymbolLookup symbols =
                (SymbolLookup)
                        loader.loadClass(NativeLibrary.class.getName())
                                .getMethod("symbols")
                                .invoke(null);
        return symbols.find("sf_abi_version").orElseThrow();
    }

    private static long liveHandles(ClassLoader loader) throws ReflectiveOperationException {
        return (long)
                loader.loadClass("io.streamfusion.ffi.generated.StreamFusionAbi")
                        .getMethod("sf_live_handles")
                        .invoke(null);
    }

    private static AutoCloseable budget(ClassLoader loader) throws ReflectiveOperationException {
        return (AutoCloseable)
                loader.loadClass(NativeBudget.class.getName())
                        .getMethod("create", long.class, String.class)
                        .invoke(null, 1L << 20, "");
    }

    private static byte[] packedLibrary() throws IOException {
        try (InputStream in =
                NativeLibraryTest.class
                        .getClassLoader()
                        .getResourceAsStream(NativePlatform.current().resource())) {
            return in.readAllBytes();
        }
    }

    private static int indexOf(byte[] bytes, byte[] wanted) {
        for (int i = 0; i + wanted.length <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
                return i;
            }
        }
        throw new AssertionError("the library does not hold the hash of its header");
    }
}
