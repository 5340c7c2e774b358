package io.streamfusion.state.paimon.kit;

import java.net.URI;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;

/** Registers {@link TestFileSystem} with Flink. */
public final class TestFileSystemFactory implements FileSystemFactory {
    @Override
    public String getScheme() {
        return TestFileSystem.SCHEME;
    }

    @Override
    public FileSystem create(URI uri) {
        return new TestFileSystem();
    }
}
