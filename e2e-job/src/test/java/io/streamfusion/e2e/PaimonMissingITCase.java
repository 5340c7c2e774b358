package io.streamfusion.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Without Paimon's jar in {@code lib/} a job on the Paimon backend is refused with a message that
 * names the jar, before anything runs.
 */
class PaimonMissingITCase {
    @RegisterExtension final Workspace workspace = new Workspace();

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void theErrorNamesTheJar() throws Exception {
        FlinkCluster cluster =
                workspace.closeAfterTest(
                        new FlinkCluster(
                                FlinkHome.get(),
                                Path.of(System.getProperty("java.home")),
                                workspace.root(),
                                Map.of(
                                        "state.backend.type",
                                        "streamfusion-paimon",
                                        "jobmanager.memory.process.size",
                                        "1100m")));
        cluster.startJobManager();
        String jar = cluster.rest().upload(FlinkHome.userJar());
        Map<String, Object> request =
                Map.of(
                        "programArgsList",
                        List.of(
                                "--partitions",
                                "1",
                                "--rate",
                                "1",
                                "--end-file",
                                workspace.root().resolve("end").toString(),
                                "--output",
                                workspace.directory("output").toUri().toString()));

        assertThatThrownBy(() -> cluster.rest().post("/jars/" + jar + "/run", request))
                .isInstanceOf(RestClient.RestException.class)
                .hasMessageContaining("IllegalConfigurationException")
                .hasMessageContaining("paimon-flink-2.0-2.0.0.jar")
                .hasMessageContaining("lib folder")
                .hasMessageNotContaining("NoClassDefFoundError");
        assertThat(cluster.rest().listens()).isTrue();
    }
}
