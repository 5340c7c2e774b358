package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;

/**
 * Reads key-group sections of segment files into a store. One thread; per key group the sections go
 * from the last full one to the newest.
 */
public final class NativeLoader implements AutoCloseable {
    private final NativeHandle handle;
    private final NativeScratch scratch = new NativeScratch();
    private final String budgetAdvice;

    NativeLoader(NativeHandle handle, String budgetAdvice) {
        this.handle = handle;
        this.budgetAdvice = budgetAdvice;
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

    private void check(int status) {
        if (status < 0) {
            throw NativeStatus.failure(status, budgetAdvice);
        }
    }

    @Override
    public void close() {
        handle.close();
        scratch.close();
    }
}
