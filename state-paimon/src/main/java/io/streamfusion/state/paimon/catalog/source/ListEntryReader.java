package io.streamfusion.state.paimon.catalog.source;

import io.streamfusion.state.paimon.catalog.decode.EntryDecoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.source.DataSplit;

/**
 * Reads lists. The chunks of one list lie in several files, so those of some key groups are held in
 * memory together; how many key groups, their bytes decide.
 */
final class ListEntryReader implements EntryReader {
    private static final long BYTES_AT_A_TIME = 32L << 20;

    private final EntryDecoder decoder;
    private final PartTable table;
    private final List<DataSplit> files;
    private final int lastKeyGroup;
    private final int keyGroupsAtATime;
    private int nextKeyGroup;

    /**
     * @param key key, or key and namespace
     */
    private record ListName(ByteBuffer key, ByteBuffer namespace) {}

    ListEntryReader(TablePart part, EntryDecoder decoder, PartTable table, List<DataSplit> files) {
        this.decoder = decoder;
        this.table = table;
        this.files = files;
        this.nextKeyGroup = part.firstKeyGroup();
        this.lastKeyGroup = part.lastKeyGroup();
        long bytes =
                files.stream()
                        .flatMap(split -> split.dataFiles().stream())
                        .mapToLong(DataFileMeta::fileSize)
                        .sum();
        int keyGroups = part.lastKeyGroup() - part.firstKeyGroup() + 1;
        this.keyGroupsAtATime = (int) Math.max(1, keyGroups / (1 + bytes / BYTES_AT_A_TIME));
    }

    @Override
    public boolean read(Consumer<RowData> rows) throws IOException {
        if (nextKeyGroup > lastKeyGroup) {
            return false;
        }
        int last = Math.min(nextKeyGroup + keyGroupsAtATime - 1, lastKeyGroup);
        Map<ListName, SortedMap<byte[], byte[]>> lists = new LinkedHashMap<>();
        try (RecordReader<InternalRow> reader = table.read(files, nextKeyGroup, last)) {
            reader.forEachRemaining(row -> addChunk(row, lists));
        }
        nextKeyGroup = last + 1;
        lists.forEach(
                (name, chunks) ->
                        decoder.list(
                                name.key().array(),
                                name.namespace().array(),
                                chunks.values(),
                                rows));
        return true;
    }

    private static void addChunk(InternalRow row, Map<ListName, SortedMap<byte[], byte[]>> lists) {
        ListName name =
                new ListName(
                        ByteBuffer.wrap(SingleEntryReader.bytes(row, PartTable.KEY)),
                        ByteBuffer.wrap(SingleEntryReader.bytes(row, PartTable.NAMESPACE)));
        lists.computeIfAbsent(name, n -> new TreeMap<>(Arrays::compareUnsigned))
                .put(
                        SingleEntryReader.bytes(row, PartTable.USER_KEY),
                        SingleEntryReader.bytes(row, PartTable.VALUE));
    }

    @Override
    public void close() {}
}
