package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.AbiFingerprint;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The native library of this process: found, checked and loaded on first use, once per class loader
 * of these classes; the class loaders of a JVM share one library. It stays loaded until the JVM
 * ends. Safe for use by any thread.
 */
public final class NativeLibrary {
    /** System property that names a library file to load instead of the one in the jar. */
    public static final String PATH_PROPERTY = "streamfusion.native.library";

    /** The ABI version that these classes are written for. */
    static final int ABI_VERSION = 1;

    private static volatile SymbolLookup symbols;

    private NativeLibrary() {}

    /**
     * Loads the library unless that was done; call it before the first native call, so that a
     * failure is thrown as it is and not as an error of a class's initialization.
     *
     * @throws NativeLibraryException when there is no library for this platform, or it does not
     *     match these classes
     */
    public static void load() {
        symbols();
    }

    /**
     * Finds the library's functions.
     *
     * @throws NativeLibraryException as {@link #load()}
     */
    public static SymbolLookup symbols() {
        SymbolLookup known = symbols;
        if (known != null) {
            return known;
        }
        synchronized (NativeLibrary.class) {
            if (symbols == null) {
                symbols = open(locate());
            }
            return symbols;
        }
    }

    private static Path locate() {
        String given = System.getProperty(PATH_PROPERTY);
        if (given == null) {
            return new LibraryExtractor(
                            NativeLibrary.class.getClassLoader(),
                            System.getProperties(),
                            Path.of(System.getProperty("java.io.tmpdir")))
                    .extract(NativePlatform.current());
        }
        Path file = Path.of(given).toAbsolutePath();
        if (!Files.isRegularFile(file)) {
            throw new NativeLibraryException(
                    "the system property " + PATH_PROPERTY + " names no file: " + file);
        }
        return file;
    }

    /** Loads a library and checks that it is of these classes' ABI. */
    @SuppressWarnings("restricted")
    static SymbolLookup open(Path file) {
        SymbolLookup lookup;
        try {
            lookup = SymbolLookup.libraryLookup(file, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new NativeLibraryException(
                    "cannot load the native library "
                            + file
                            + " on "
                            + NativePlatform.current().name()
                            + ": the file is no library for this platform, or its folder is mounted"
                            + " noexec (then set java.io.tmpdir to another one)",
                    e);
        } catch (IllegalCallerException e) {
            throw new NativeLibraryException(
                    "the JVM forbids native access: start it with"
                            + " --enable-native-access=ALL-UNNAMED",
                    e);
        }
        checkAbi(file, lookup);
        return lookup;
    }

    private static void checkAbi(Path file, SymbolLookup lookup) {
        int version = version(file, lookup);
        if (version != ABI_VERSION) {
            throw mismatch(file, "its ABI version is " + version + ", expected " + ABI_VERSION);
        }
        String fingerprint = fingerprint(file, lookup);
        if (!fingerprint.equals(AbiFingerprint.HEADER_SHA256)) {
            throw mismatch(
                    file,
                    "it was built from the header "
                            + fingerprint
                            + ", the Java bindings from "
                            + AbiFingerprint.HEADER_SHA256);
        }
        for (String function : AbiFingerprint.FUNCTIONS) {
            find(file, lookup, function);
        }
    }

    @SuppressWarnings("restricted")
    private static int version(Path file, SymbolLookup lookup) {
        try {
            return (int)
                    Linker.nativeLinker()
                            .downcallHandle(
                                    find(file, lookup, "sf_abi_version"),
                                    FunctionDescriptor.of(ValueLayout.JAVA_INT))
                            .invokeExact();
        } catch (NativeLibraryException e) {
            throw e;
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    @SuppressWarnings("restricted")
    private static String fingerprint(Path file, SymbolLookup lookup) {
        int capacity = AbiFingerprint.HEADER_SHA256.length();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(capacity);
            int length =
                    (int)
                            Linker.nativeLinker()
                                    .downcallHandle(
                                            find(file, lookup, "sf_abi_fingerprint"),
                                            FunctionDescriptor.of(
                                                    ValueLayout.JAVA_INT,
                                                    ValueLayout.ADDRESS,
                                                    ValueLayout.JAVA_INT))
                                    .invokeExact(out, capacity);
            byte[] hex =
                    out.asSlice(0, Math.clamp(length, 0, capacity)).toArray(ValueLayout.JAVA_BYTE);
            return new String(hex, StandardCharsets.US_ASCII);
        } catch (NativeLibraryException e) {
            throw e;
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    private static MemorySegment find(Path file, SymbolLookup lookup, String function) {
        return lookup.find(function)
                .orElseThrow(() -> mismatch(file, "it has no function " + function));
    }

    private static NativeLibraryException mismatch(Path file, String why) {
        return new NativeLibraryException(
                "the native library "
                        + file
                        + " does not belong to these StreamFusion classes: "
                        + why
                        + ". Use one jar of one build only.");
    }
}
