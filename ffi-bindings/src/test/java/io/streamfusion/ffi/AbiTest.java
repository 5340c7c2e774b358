package io.streamfusion.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.generated.AbiFingerprint;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The header, the bindings written from it and the hand-written calls say the same. */
class AbiTest {
    private static final Path HEADER = Path.of("src", "main", "c", "streamfusion.h");

    @Test
    void theBindingsAreOfTheCommittedHeader() throws IOException, NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(HEADER));

        assertThat(AbiFingerprint.HEADER_SHA256).isEqualTo(HexFormat.of().formatHex(digest));
    }

    @Test
    void exactlyTheFunctionsThatPromiseBoundedWorkAreCalledAsCriticalOnes() {
        List<String> linked =
                Arrays.stream(CriticalCalls.class.getDeclaredMethods())
                        .filter(method -> Modifier.isPublic(method.getModifiers()))
                        .map(Method::getName)
                        .toList();

        assertThat(linked).containsExactlyInAnyOrderElementsOf(AbiFingerprint.CRITICAL);
    }
}
