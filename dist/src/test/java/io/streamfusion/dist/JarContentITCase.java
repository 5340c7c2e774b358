package io.streamfusion.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The jar that goes into Flink's {@code lib/} holds all of ours, and nothing of anybody else's. */
class JarContentITCase {
    private static final int JAVA_11 = 55;
    private static final int JAVA_22 = 66;
    private static final String PROTOBUF = "io/streamfusion/shaded/protobuf/";
    private static final Set<String> SHORT_NAMES =
            Set.of("streamfusion-memory.class", "streamfusion-paimon.class");
    private static final Set<String> FACTORIES =
            Set.of(
                    "io/streamfusion/state/memory/NativeStateBackendFactory.class",
                    "io/streamfusion/state/memory/StreamFusionMemoryStateBackendFactory.class",
                    "io/streamfusion/state/paimon/StreamFusionPaimonStateBackendFactory.class",
                    "io/streamfusion/state/paimon/catalog/StateCatalogFactory.class");

    private JarFile jar;

    @BeforeEach
    void open() throws IOException {
        jar = new JarFile(System.getProperty("streamfusion.jar"));
    }

    @AfterEach
    void close() throws IOException {
        jar.close();
    }

    @Test
    void everyClassIsOurs() {
        assertThat(classes())
                .containsAll(SHORT_NAMES)
                .containsAll(FACTORIES)
                .contains(
                        "io/streamfusion/ffi/NativeLibrary.class",
                        "io/streamfusion/state/memory/StreamFusionMemoryStateBackend.class",
                        "io/streamfusion/state/paimon/StreamFusionPaimonStateBackend.class")
                .allSatisfy(
                        name ->
                                assertThat(
                                                SHORT_NAMES.contains(name)
                                                        || name.startsWith("io/streamfusion/"))
                                        .as(name)
                                        .isTrue());
    }

    @Test
    void onlyWhatExplainsAnOldJvmIsOlderThanJava22() {
        assertThat(classes())
                .filteredOn(name -> !name.startsWith(PROTOBUF))
                .allSatisfy(
                        name ->
                                assertThat(classVersion(name))
                                        .as(name)
                                        .isEqualTo(
                                                SHORT_NAMES.contains(name)
                                                                || FACTORIES.contains(name)
                                                        ? JAVA_11
                                                        : JAVA_22));
    }

    @Test
    void theLibraryLiesBesideItsChecksum() throws IOException, NoSuchAlgorithmException {
        List<String> libraries =
                names().stream()
                        .filter(
                                name ->
                                        name.matches(
                                                "io/streamfusion/native/[^/]+/.*\\.(so|dylib)"))
                        .toList();

        assertThat(libraries).isNotEmpty();
        for (String library : libraries) {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes(library));
            assertThat(new String(bytes(library + ".sha256"), StandardCharsets.US_ASCII).strip())
                    .isEqualTo(HexFormat.of().formatHex(digest));
        }
    }

    @Test
    void theLicenceIsInIt() throws IOException {
        assertThat(new String(bytes("META-INF/LICENSE"), StandardCharsets.UTF_8))
                .contains("Apache License");
    }

    private List<String> names() {
        return jar.stream().map(ZipEntry::getName).toList();
    }

    private List<String> classes() {
        return names().stream().filter(name -> name.endsWith(".class")).toList();
    }

    private byte[] bytes(String name) throws IOException {
        ZipEntry entry = jar.getEntry(name);
        assertThat(entry).as(name).isNotNull();
        try (InputStream in = jar.getInputStream(entry)) {
            return in.readAllBytes();
        }
    }

    private int classVersion(String name) throws IOException {
        try (DataInputStream in = new DataInputStream(jar.getInputStream(jar.getEntry(name)))) {
            in.skipNBytes(6);
            return in.readUnsignedShort();
        }
    }
}
