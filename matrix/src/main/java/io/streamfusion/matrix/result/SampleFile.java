package io.streamfusion.matrix.result;

import io.streamfusion.matrix.MatrixException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * JSON lines, each on the disk before the next thing is done: first what the run is, then samples,
 * verdicts, plans and failures, each an object with one field that says which.
 *
 * <p>A run that was interrupted goes on in the same file; a last line that is not whole is cut off.
 * One thread.
 */
public final class SampleFile implements AutoCloseable {
    private static final String HEADER = "run";

    private final ObjectMapper json = new ObjectMapper();
    private final FileChannel channel;
    private final List<JsonNode> lines = new ArrayList<>();

    private SampleFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Begins a file, which must not be there. */
    public static SampleFile create(Path file, ObjectNode run) throws IOException {
        Files.createDirectories(file.getParent());
        SampleFile created =
                new SampleFile(
                        FileChannel.open(
                                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        created.add(HEADER, run);
        return created;
    }

    /**
     * Opens a file to go on with it.
     *
     * @param run has to be what the file was begun with
     * @throws MatrixException that names what differs when it is not
     */
    public static SampleFile resume(Path file, ObjectNode run) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int whole = bytes.length;
        while (whole > 0 && bytes[whole - 1] != '\n') {
            whole--;
        }
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        SampleFile opened = new SampleFile(channel);
        for (String line : new String(bytes, 0, whole, StandardCharsets.UTF_8).lines().toList()) {
            opened.lines.add(opened.json.readTree(line));
        }
        List<String> differences =
                opened.lines.isEmpty()
                        ? List.of("it is empty")
                        : differences(
                                "",
                                opened.lines.getFirst().path(HEADER),
                                opened.json.readTree(opened.json.writeValueAsBytes(run)));
        if (!differences.isEmpty()) {
            channel.close();
            throw new MatrixException(
                    "cannot go on with %s: %s".formatted(file, String.join("; ", differences)));
        }
        channel.truncate(whole).position(whole);
        return opened;
    }

    private static List<String> differences(String path, JsonNode then, JsonNode now) {
        if (then.equals(now)) {
            return List.of();
        }
        if (!then.isObject() || !now.isObject()) {
            return List.of("%s was %s and is %s".formatted(path, then, now));
        }
        Set<String> names = new TreeSet<>();
        then.fieldNames().forEachRemaining(names::add);
        now.fieldNames().forEachRemaining(names::add);
        List<String> found = new ArrayList<>();
        for (String name : names) {
            String below = path.isEmpty() ? name : path + "." + name;
            found.addAll(differences(below, then.path(name), now.path(name)));
        }
        return found;
    }

    /**
     * Appends a line and waits until the disk has it.
     *
     * @param kind what {@link #all} finds it by
     */
    public void add(String kind, JsonNode value) throws IOException {
        ObjectNode line = json.createObjectNode();
        line.set(kind, value);
        ByteBuffer bytes =
                ByteBuffer.wrap(
                        (json.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.force(true);
        lines.add(line);
    }

    /** Returns what was added under a name, in order, by earlier runs too. */
    public List<JsonNode> all(String kind) {
        return lines.stream().filter(line -> line.has(kind)).map(line -> line.get(kind)).toList();
    }

    /** Returns what the file was begun with. */
    public JsonNode run() {
        return all(HEADER).getFirst();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
