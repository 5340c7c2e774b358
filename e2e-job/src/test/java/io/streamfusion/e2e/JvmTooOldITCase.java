package io.streamfusion.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * On a JVM that Flink supports and StreamFusion does not, a job is refused with a message that
 * tells the user what to do, and the cluster goes on.
 */
class JvmTooOldITCase {
    private static final int TOO_OLD = 17;

    @RegisterExtension final Workspace workspace = new Workspace();

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void theErrorNamesTheNeededAndTheFoundVersion() throws Exception {
        Optional<Path> jdk = Jdks.find(TOO_OLD);
        assumeTrue(
                jdk.isPresent(),
                "No JDK 17 on this machine: install one or set JAVA17_HOME to run this test");
        FlinkCluster cluster =
                workspace.closeAfterTest(
                        new FlinkCluster(
                                FlinkHome.get(),
                                jdk.get(),
                                workspace.root(),
                                Map.of(
                                        "state.backend.type",
                                        "streamfusion-memory",
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
                .hasMessageContaining("Java 22")
                .hasMessageContaining("Java " + TOO_OLD);
        assertThat(cluster.rest().listens()).isTrue();
    }
}
