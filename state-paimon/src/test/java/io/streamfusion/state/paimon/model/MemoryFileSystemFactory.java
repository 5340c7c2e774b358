package io.streamfusion.state.paimon.model;

import java.net.URI;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;

/** Registers {@link MemoryFileSystem} with Flink. */
public final class MemoryFileSystemFactory implements FileSystemFactory {
    @Override
    public String getScheme() {
        return MemoryFileSystem.SCHEME;
    }

    @Override
    public FileSystem create(URI uri) {
        return MemoryFileSystem.instance();
    }
}
