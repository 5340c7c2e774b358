package io.streamfusion.state.paimon.model;

import io.streamfusion.state.memory.model.ModelStorage;

/** A file of {@link MemoryFileSystem}. */
final class MemoryFile implements ModelStorage.Written {
    private final String name;
    private final Object writer;
    private volatile byte[] content = new byte[0];

    /**
     * @param name its whole path
     * @param writer the checkpoint that writes it
     */
    MemoryFile(String name, Object writer) {
        this.name = name;
        this.writer = writer;
    }

    String name() {
        return name;
    }

    /** Not to be changed. */
    byte[] content() {
        return content;
    }

    void fill(byte[] bytes) {
        content = bytes;
    }

    /** The same file with another name. */
    MemoryFile named(String newName) {
        MemoryFile renamed = new MemoryFile(newName, writer);
        renamed.content = content;
        return renamed;
    }

    @Override
    public Object writer() {
        return writer;
    }

    @Override
    public String toString() {
        return name + " (" + content.length + " bytes)";
    }
}
