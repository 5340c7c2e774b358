package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads rows of files into a store. One thread; per key group the sections of segments go from the
 * last full one to the newest, the data files of a table from the oldest to the newest.
 */
public final class NativeLoader implements AutoCloseable {
    private final NativeHandle handle;
    private final NativeScratch scratch = new NativeScratch();
    private final NativeAdvice advice;

    NativeLoader(NativeHandle handle, NativeAdvice advice) {
        this.handle = handle;
        this.advice = advice;
    }

    /**
     * Begins one key group's section.
     *
     * @param offset position of the section in its file
     * @param length its bytes
     * @param fileName named in the message when the bytes are damaged
     */
    public void section(int keyGroup, long offset, long length, String fileName) {
        byte[] utf8 = NativeScratch.utf8(fileName);
        MemorySegment name = scratch.put(utf8, 0, utf8.length);
        check(
                StreamFusionAbi.sf_loader_section(
                        handle.pointer(), keyGroup, offset, length, name, utf8.length));
    }

    /** Gives the next bytes of the section, in pieces of any size. */
    public void feed(byte[] bytes, int offset, int length) {
        MemorySegment piece = scratch.put(bytes, offset, length);
        check(StreamFusionAbi.sf_loader_feed(handle.pointer(), piece, length));
    }

    /** Ends the section; fails when bytes are missing. */
    public void end() {
        check(StreamFusionAbi.sf_loader_end(handle.pointer()));
    }

    /**
     * Opens a data file of a table, in place of the one that was open.
     *
     * @param epoch write epoch that its rows get; positive
     * @param tail the last bytes of the file, long enough for its footer
     * @param fileLength its whole length
     * @param vector its part of the deletion-vector index file, with the length before and the
     *     checksum behind; empty when no row is dead
     * @param fileName named in the message when the bytes are damaged
     */
    public void table(int epoch, byte[] tail, long fileLength, byte[] vector, String fileName) {
        byte[] utf8 = NativeScratch.utf8(fileName);
        try (NativeScratch tailBytes = new NativeScratch();
                NativeScratch vectorBytes = new NativeScratch()) {
            check(
                    StreamFusionAbi.sf_loader_table(
                            handle.pointer(),
                            epoch,
                            tailBytes.put(tail, 0, tail.length),
                            tail.length,
                            fileLength,
                            vectorBytes.put(vector, 0, vector.length),
                            vector.length,
                            scratch.put(utf8, 0, utf8.length),
                            utf8.length));
        }
    }

    /**
     * Loads the living rows of a row group of the open data file. Its bytes are copied to native
     * memory that is free again when this returns: they are megabytes, and the loaders of a restore
     * would otherwise keep theirs until the next garbage collection.
     *
     * @param group its place in {@link NativeTableFooter#rowGroups()}
     * @param bytes its bytes
     * @param firstKeyGroup first key group to load
     * @param lastKeyGroup last key group to load, inclusive
     */
    public void rowGroup(int group, byte[] bytes, int length, int firstKeyGroup, int lastKeyGroup) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(Math.max(1, length));
            MemorySegment.copy(bytes, 0, copy, ValueLayout.JAVA_BYTE, 0, length);
            check(
                    StreamFusionAbi.sf_loader_row_group(
                            handle.pointer(), group, copy, length, firstKeyGroup, lastKeyGroup));
        }
    }

    private void check(int status) {
        if (status < 0) {
            throw NativeStatus.failure(status, advice);
        }
    }

    @Override
    public void close() {
        handle.close();
        scratch.close();
    }
}
