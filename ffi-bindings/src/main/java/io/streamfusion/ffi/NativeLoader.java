package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;

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
     * Memory for the bytes of a row group of the open data file. It belongs to the loader and is
     * used for one after the other.
     *
     * @param length bytes of the row group
     * @return to be written before {@link #rowGroup}; not to be used after the loader's next call
     * @throws NativeException of kind MEMORY when the system has no more
     */
    @SuppressWarnings("restricted")
    public MemorySegment rowGroupBytes(int length) {
        MemorySegment memory = StreamFusionAbi.sf_loader_row_group_bytes(handle.pointer(), length);
        if (memory.address() == 0) {
            throw NativeStatus.failure(StreamFusionAbi.sf_last_status(), advice);
        }
        return memory.reinterpret(length);
    }

    /**
     * Loads the living rows of the row group whose bytes were written to {@link #rowGroupBytes}.
     *
     * @param group its place in {@link NativeTableFooter#rowGroups()}
     * @param firstKeyGroup first key group to load
     * @param lastKeyGroup last key group to load, inclusive
     */
    public void rowGroup(int group, int firstKeyGroup, int lastKeyGroup) {
        check(
                StreamFusionAbi.sf_loader_row_group(
                        handle.pointer(), group, firstKeyGroup, lastKeyGroup));
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
