package io.streamfusion.ffi;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Copies the library out of the jar into a directory that only this process's user can enter, and
 * checks it against the checksum beside it.
 *
 * <p>All class loaders of a JVM share one copy: its path is kept in the system properties under a
 * key that holds the checksum. The copy goes when the JVM ends; what a killed JVM left is removed
 * by the next one.
 */
final class LibraryExtractor {
    private static final String REGISTRY_PREFIX = "streamfusion.native.extracted.";
    private static final String DIRECTORY_PREFIX = "streamfusion-native-";
    private static final Pattern DIRECTORY = Pattern.compile(DIRECTORY_PREFIX + "(\\d+)-.*");

    private final ClassLoader loader;
    private final Properties registry;
    private final Path temporary;

    /**
     * Creates an extractor.
     *
     * @param loader finds the library and its checksum
     * @param registry what all class loaders of the JVM share: the system properties
     * @param temporary where the private directory is made
     */
    LibraryExtractor(ClassLoader loader, Properties registry, Path temporary) {
        this.loader = loader;
        this.registry = registry;
        this.temporary = temporary;
    }

    /**
     * The path of a checked copy of the platform's library.
     *
     * @throws NativeLibraryException when the jar has none, or not the one its checksum names
     */
    Path extract(NativePlatform platform) {
        String expected = readChecksum(platform);
        // Properties locks itself while it computes, so that two class loaders make one copy.
        return Path.of(
                (String)
                        registry.compute(
                                REGISTRY_PREFIX + expected,
                                (key, known) ->
                                        known instanceof String path && isIntact(path, expected)
                                                ? path
                                                : copy(platform, expected).toString()));
    }

    private String readChecksum(NativePlatform platform) {
        try (InputStream in = loader.getResourceAsStream(platform.resource() + ".sha256")) {
            if (in == null) {
                throw new NativeLibraryException(
                        "StreamFusion has no native library for "
                                + platform.name()
                                + "; this jar holds "
                                + NativePlatform.available(loader)
                                + ". Build it on this platform with bin/build-native, or name a"
                                + " library with -D"
                                + NativeLibrary.PATH_PROPERTY
                                + "=FILE.");
            }
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
        } catch (IOException e) {
            throw new NativeLibraryException(
                    "cannot read the checksum of " + platform.resource(), e);
        }
    }

    private Path copy(NativePlatform platform, String expected) {
        try {
            removeLeftovers();
            Path directory =
                    Files.createTempDirectory(
                            temporary, DIRECTORY_PREFIX + ProcessHandle.current().pid() + "-");
            directory.toFile().deleteOnExit();
            Path file = directory.resolve(platform.fileName());
            String found = copyResource(platform.resource(), file);
            if (!found.equals(expected)) {
                Files.delete(file);
                Files.delete(directory);
                throw new NativeLibraryException(
                        "the native library "
                                + platform.resource()
                                + " is damaged or was replaced: its SHA-256 is "
                                + found
                                + ", expected "
                                + expected);
            }
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new NativeLibraryException(
                    "cannot extract the native library to "
                            + temporary
                            + " (java.io.tmpdir): "
                            + e.getMessage(),
                    e);
        }
    }

    private String copyResource(String resource, Path target) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream in = loader.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException(resource + " is missing beside its checksum");
            }
            Files.copy(new DigestInputStream(in, digest), target);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static boolean isIntact(String path, String expected) {
        MessageDigest digest = sha256();
        try (InputStream in = new DigestInputStream(Files.newInputStream(Path.of(path)), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // A cleaner of temporary files may have taken it: another copy does as well.
            return false;
        }
        return HexFormat.of().formatHex(digest.digest()).equals(expected);
    }

    /** Removes copies of processes that were killed; a directory of another user stays. */
    private void removeLeftovers() throws IOException {
        try (DirectoryStream<Path> directories =
                Files.newDirectoryStream(temporary, DIRECTORY_PREFIX + "*")) {
            for (Path directory : directories) {
                Matcher name = DIRECTORY.matcher(directory.getFileName().toString());
                if (name.matches()
                        && Files.isWritable(directory)
                        && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
                    remove(directory);
                }
            }
        }
    }

    private static void remove(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(directory);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
