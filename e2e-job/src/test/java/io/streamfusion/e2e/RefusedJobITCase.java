package io.streamfusion.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.streamfusion.cluster.FlinkCluster;
import io.streamfusion.cluster.RestClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A job that cannot run here is refused with a message that tells the user what to do, before
 * anything runs, and the cluster goes on.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedJobITCase {
    private static final int TOO_OLD = 17;

    @RegisterExtension final Workspace workspace = new Workspace();

    /** On a JVM that Flink supports and StreamFusion does not. */
    @Test
    void onAnOldJvmWithTheNeededAndTheFoundVersion() throws Exception {
        Optional<Path> jdk = Jdks.find(TOO_OLD);
        assumeTrue(
                jdk.isPresent(),
                "No JDK 17 on this machine: install one or set JAVA17_HOME to run this test");

        assertThat(refusal(jdk.get(), "streamfusion-memory"))
                .hasMessageContaining("Java 22")
                .hasMessageContaining("Java " + TOO_OLD);
    }

    @Test
    void withoutPaimonInLibWithTheNameOfTheJar() throws Exception {
        assertThat(refusal(Path.of(System.getProperty("java.home")), "streamfusion-paimon"))
                .hasMessageContaining("paimon-flink-2.0-2.0.0.jar")
                .hasMessageContaining("lib folder")
                .hasMessageNotContaining("NoClassDefFoundError");
    }

    /** What a JobManager without Paimon answers to a job on that backend. */
    private RestClient.RestException refusal(Path jdk, String backend) throws Exception {
        FlinkCluster cluster =
                workspace.closeAfterTest(
                        new FlinkCluster(
                                FlinkHome.get(),
                                jdk,
                                workspace.root(),
                                Map.of(
                                        "state.backend.type",
                                        backend,
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
        RestClient.RestException refusal =
                catchThrowableOfType(
                        RestClient.RestException.class,
                        () -> cluster.rest().post("/jars/" + jar + "/run", request));
        assertThat(refusal).hasMessageContaining("IllegalConfigurationException");
        assertThat(cluster.rest().listens()).isTrue();
        return refusal;
    }
}
