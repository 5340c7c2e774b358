package io.streamfusion.cluster;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** Flink's REST interface, as far as it is needed here. Every call blocks; no call is repeated. */
public final class RestClient implements AutoCloseable {
    private static final String CRLF = "\r\n";
    private static final String BOUNDARY = "streamfusion-e2e-boundary";

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(Await.LIMIT).build();
    private final ObjectMapper json = new ObjectMapper();
    private final String base;

    /**
     * @param port of the JobManager on this machine
     */
    public RestClient(int port) {
        this.base = "http://localhost:" + port;
    }

    /** An answer other than 2xx; the message holds its whole body. */
    public static final class RestException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RestException(String message) {
            super(message);
        }
    }

    /** Returns whether the JobManager takes requests. */
    public boolean listens() {
        try {
            return http.send(request("/overview").GET().build(), body()).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** The answer to a GET of a path that begins with a slash. */
    public JsonNode get(String path) {
        return send(request(path).GET().build());
    }

    /** The answer to a POST of a JSON object. */
    public JsonNode post(String path, Map<String, ?> body) {
        try {
            return send(
                    request(path)
                            .header("Content-Type", "application/json")
                            .POST(
                                    HttpRequest.BodyPublishers.ofString(
                                            json.writeValueAsString(body)))
                            .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Uploads a jar and returns the id under which it can be run. */
    public String upload(Path jar) {
        String head =
                String.join(
                        CRLF,
                        "--" + BOUNDARY,
                        "Content-Disposition: form-data; name=\"jarfile\"; filename=\""
                                + jar.getFileName()
                                + "\"",
                        "Content-Type: application/x-java-archive",
                        CRLF);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(head.getBytes(StandardCharsets.UTF_8));
        try {
            body.writeBytes(Files.readAllBytes(jar));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        body.writeBytes((CRLF + "--" + BOUNDARY + "--" + CRLF).getBytes(StandardCharsets.UTF_8));
        JsonNode answer =
                send(
                        request("/jars/upload")
                                .header("Content-Type", "multipart/form-data; boundary=" + BOUNDARY)
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))
                                .build());
        return Path.of(answer.get("filename").asText()).getFileName().toString();
    }

    @Override
    public void close() {
        http.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path)).timeout(Await.LIMIT);
    }

    private JsonNode send(HttpRequest request) {
        try {
            HttpResponse<String> response = http.send(request, body());
            if (response.statusCode() / 100 != 2) {
                throw new RestException(
                        "%s %s: %d %s"
                                .formatted(
                                        request.method(),
                                        request.uri().getPath(),
                                        response.statusCode(),
                                        json.readTree(response.body()).toPrettyString()));
            }
            return json.readTree(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static HttpResponse.BodyHandler<String> body() {
        return HttpResponse.BodyHandlers.ofString();
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("Interrupted during a REST call", e);
    }
}
