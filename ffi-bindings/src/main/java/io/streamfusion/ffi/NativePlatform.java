package io.streamfusion.ffi;

import java.util.List;
import java.util.Locale;

/**
 * An operating system and processor, as resource folders of the jar spell them.
 *
 * @param name {@code <os>-<arch>}, for example {@code linux-x86_64}
 * @param fileName the library's file name there
 */
record NativePlatform(String name, String fileName) {
    private static final String RESOURCES = "io/streamfusion/native/";

    /** Every platform that a jar may hold a library for. */
    static final List<NativePlatform> KNOWN =
            List.of(
                    new NativePlatform("linux-x86_64", "libstreamfusion.so"),
                    new NativePlatform("linux-aarch64", "libstreamfusion.so"),
                    new NativePlatform("macos-x86_64", "libstreamfusion.dylib"),
                    new NativePlatform("macos-aarch64", "libstreamfusion.dylib"));

    /** The platform of this process. */
    static NativePlatform current() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    /** The platform with Java's names {@code os.name} and {@code os.arch}; it may be unknown. */
    static NativePlatform of(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        String arch = osArch.toLowerCase(Locale.ROOT);
        String name =
                (os.startsWith("mac") ? "macos" : os.replace(' ', '_'))
                        + "-"
                        + switch (arch) {
                            case "amd64", "x86-64", "x64" -> "x86_64";
                            case "arm64" -> "aarch64";
                            default -> arch;
                        };
        return KNOWN.stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .orElseGet(() -> new NativePlatform(name, "libstreamfusion.so"));
    }

    /** Where the library lies in the jar; its checksum lies beside it, with {@code .sha256}. */
    String resource() {
        return RESOURCES + name + "/" + fileName;
    }

    /** Names of the platforms that a class loader has a library for. */
    static List<String> available(ClassLoader loader) {
        return KNOWN.stream()
                .filter(known -> loader.getResource(known.resource()) != null)
                .map(NativePlatform::name)
                .toList();
    }
}
