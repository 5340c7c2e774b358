package io.streamfusion.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryExtractorTest {
    private static final NativePlatform PLATFORM = NativePlatform.current();

    @TempDir Path temporary;
    private final Properties registry = new Properties();

    @Test
    void copiesTheLibraryIntoAPrivateDirectory() throws IOException {
        Path file = extractor(getClass().getClassLoader()).extract(PLATFORM);

        assertThat(file).hasFileName(PLATFORM.fileName()).hasBinaryContent(packedLibrary());
        assertThat(file.getParent().getParent()).isEqualTo(temporary);
        assertThat(Files.getPosixFilePermissions(file.getParent()))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void oneCopyServesAllClassLoadersOfTheJvm() throws IOException {
        Path first = extractor(getClass().getClassLoader()).extract(PLATFORM);
        Path second = extractor(getClass().getClassLoader()).extract(PLATFORM);

        assertThat(second).isEqualTo(first);
        assertThat(directories()).hasSize(1);
    }

    @Test
    void aCopyThatWasChangedOrTakenAwayIsNotUsedAgain() throws IOException {
        Path first = extractor(getClass().getClassLoader()).extract(PLATFORM);
        Files.write(first, new byte[] {1});
        Path second = extractor(getClass().getClassLoader()).extract(PLATFORM);
        Files.delete(second);
        Path third = extractor(getClass().getClassLoader()).extract(PLATFORM);

        assertThat(List.of(first, second, third)).doesNotHaveDuplicates();
        assertThat(third).hasBinaryContent(packedLibrary());
    }

    @Test
    void aTamperedLibraryIsRefusedAndNotLeftBehind() throws IOException {
        byte[] library = packedLibrary();
        library[library.length / 2] ^= 1;
        try (URLClassLoader jar = jarWith(library)) {
            assertThatThrownBy(() -> extractor(jar).extract(PLATFORM))
                    .isInstanceOf(NativeLibraryException.class)
                    .hasMessageContaining(PLATFORM.resource())
                    .hasMessageContaining("damaged or was replaced");
        }
        assertThat(directories()).isEmpty();
        assertThat(registry).isEmpty();
    }

    @Test
    void anUnknownPlatformIsNamedWithThePlatformsOfTheJar() {
        NativePlatform plan9 = NativePlatform.of("Plan 9", "riscv64");

        assertThatThrownBy(() -> extractor(getClass().getClassLoader()).extract(plan9))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining("no native library for plan_9-riscv64")
                .hasMessageContaining("[" + PLATFORM.name() + "]")
                .hasMessageContaining(NativeLibrary.PATH_PROPERTY);
    }

    @Test
    void whatAKilledJvmLeftIsRemovedAndALivingOnesIsNot() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        Path dead =
                Files.createDirectory(
                        temporary.resolve("streamfusion-native-" + ended.pid() + "-1"));
        Files.createFile(dead.resolve("libstreamfusion.so"));
        Path living =
                Files.createDirectory(
                        temporary.resolve(
                                "streamfusion-native-" + ProcessHandle.current().pid() + "-1"));

        extractor(getClass().getClassLoader()).extract(PLATFORM);

        assertThat(dead).doesNotExist();
        assertThat(living).exists();
    }

    @Test
    void anUnwritableTemporaryDirectoryIsNamed() {
        Path missing = temporary.resolve("missing");
        LibraryExtractor extractor =
                new LibraryExtractor(getClass().getClassLoader(), registry, missing);

        assertThatThrownBy(() -> extractor.extract(PLATFORM))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining(missing.toString())
                .hasMessageContaining("java.io.tmpdir");
    }

    private LibraryExtractor extractor(ClassLoader loader) {
        return new LibraryExtractor(loader, registry, temporary);
    }

    private List<Path> directories() throws IOException {
        try (Stream<Path> children = Files.list(temporary)) {
            return children.filter(
                            p -> p.getFileName().toString().startsWith("streamfusion-native-"))
                    .toList();
        }
    }

    private static byte[] packedLibrary() throws IOException {
        try (InputStream in =
                LibraryExtractorTest.class
                        .getClassLoader()
                        .getResourceAsStream(PLATFORM.resource())) {
            return in.readAllBytes();
        }
    }

    /** A class loader with this library beside the checksum of the true one. */
    private URLClassLoader jarWith(byte[] library) throws IOException {
        Path root = Files.createDirectory(temporary.resolve("jar"));
        Path file = root.resolve(PLATFORM.resource());
        Files.createDirectories(file.getParent());
        Files.write(file, library);
        try (InputStream in =
                getClass().getClassLoader().getResourceAsStream(PLATFORM.resource() + ".sha256")) {
            Files.copy(in, Path.of(file + ".sha256"));
        }
        return new URLClassLoader(new URL[] {root.toUri().toURL()}, null);
    }
}
