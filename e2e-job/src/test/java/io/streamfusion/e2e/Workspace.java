package io.streamfusion.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.flink.util.FileUtils;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A directory under the build folder for everything that one test's processes write, temporary
 * files included. After the test what was started is ended; the directory is deleted when the test
 * succeeded, and named in the failure when it did not.
 */
final class Workspace implements BeforeEachCallback, AfterEachCallback {
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private Path root;

    /** Returns the directory. */
    Path root() {
        return root;
    }

    /** Makes and returns a directory in it. */
    Path directory(String name) throws IOException {
        return Files.createDirectories(root.resolve(name));
    }

    /** Registers what has to be closed when the test ends, the last one first. */
    <T extends AutoCloseable> T closeAfterTest(T resource) {
        resources.push(resource);
        return resource;
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        String name = context.getRequiredTestClass().getSimpleName();
        root =
                Files.createTempDirectory(
                        Files.createDirectories(FlinkHome.target().resolve("e2e")), name + "-");
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        Exception closing = null;
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (Exception e) {
                if (closing == null) {
                    closing = e;
                } else {
                    closing.addSuppressed(e);
                }
            }
        }
        if (context.getExecutionException().isPresent()) {
            String kept = "Logs and state of the failed run are kept in " + root;
            System.out.println(kept);
            context.getExecutionException().get().addSuppressed(new AssertionError(kept));
        } else if (closing == null) {
            FileUtils.deleteDirectory(root.toFile());
        }
        if (closing != null) {
            throw closing;
        }
    }
}
