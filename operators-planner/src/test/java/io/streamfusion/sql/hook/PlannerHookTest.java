package io.streamfusion.sql.hook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.delegation.PlannerFactory;
import org.apache.flink.table.planner.loader.PlannerModule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlannerHookTest {
    private static final int JAVA_11 = 55;

    private final PlannerFactory stock = PlannerModule.getInstance().loadPlannerFactory();
    private final ClassLoader loader =
            new PlannerClassLoader(
                    PlannerHookTest.class.getClassLoader(),
                    PlannerModule.getInstance().getSubmoduleClassLoader());

    private static TableEnvironment streaming() {
        return TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    }

    @Test
    void anEnvironmentIsNativeWithoutAnyCall() {
        assertThat(streaming().explainSql("SELECT 1")).contains("== StreamFusion ==");
    }

    @Test
    void aSettingMakesItStock() {
        TableEnvironment tables = streaming();
        String explained = tables.explainSql("SELECT 1");
        tables.getConfig().set("streamfusion.sql.enabled", "false");
        String stocks = tables.explainSql("SELECT 1");
        assertThat(stocks).doesNotContain("StreamFusion");
        assertThat(explained).startsWith(stocks).contains("== StreamFusion ==");
    }

    @Test
    void batchModeIsStock() {
        TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inBatchMode());
        assertThat(tables.explainSql("SELECT 1")).doesNotContain("StreamFusion");
    }

    @Test
    void thisFlinkAndJavaAreRight() {
        assertThat(PlannerHook.over(stock, loader, 22, "2.2.0")).isNotSameAs(stock);
    }

    @Test
    void anotherFlinkKeepsItsPlanner() {
        assertThat(PlannerHook.over(stock, loader, 22, "2.3.0")).isSameAs(stock);
        assertThat(PlannerHook.over(stock, loader, 22, "<unknown>")).isSameAs(stock);
    }

    @Test
    void anOldJavaKeepsFlinksPlanner() {
        assertThat(PlannerHook.over(stock, loader, 21, "2.2.1")).isSameAs(stock);
    }

    @Test
    void withoutTheOtherJarThePlannerIsFlinks() {
        // Only the planner's classes are there, not those they run with.
        ClassLoader alone =
                new ClassLoader(PlannerHookTest.class.getClassLoader()) {
                    @Override
                    protected Class<?> loadClass(String name, boolean resolve)
                            throws ClassNotFoundException {
                        if (name.startsWith("io.streamfusion.ffi.")) {
                            throw new ClassNotFoundException(name);
                        }
                        return super.loadClass(name, resolve);
                    }
                };
        ClassLoader planner =
                new PlannerClassLoader(
                        alone, PlannerModule.getInstance().getSubmoduleClassLoader());
        assertThat(PlannerHook.over(stock, planner, 22, "2.2.1")).isSameAs(stock);
    }

    @Test
    void theHookIsSeen() {
        assertThat(HookCheck.check(HookCheck.class.getClassLoader())).isTrue();
    }

    @Test
    void flinksFactoryInFrontIsSeen() throws Exception {
        URL loaderJar =
                PlannerHookTest.class.getClassLoader().getResource("flink-table-planner.jar");
        String jar = loaderJar.getPath().substring(0, loaderJar.getPath().indexOf('!'));
        try (URLClassLoader flinkFirst =
                new URLClassLoader(
                        new URL[] {URI.create(jar).toURL()},
                        PlannerHookTest.class.getClassLoader()) {
                    @Override
                    protected Class<?> loadClass(String name, boolean resolve)
                            throws ClassNotFoundException {
                        return name.startsWith("org.apache.flink.table.planner.loader.Delegate")
                                        || name.endsWith("BaseDelegateFactory")
                                ? findClass(name)
                                : super.loadClass(name, resolve);
                    }
                }) {
            assertThat(HookCheck.check(flinkFirst)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org/apache/flink/table/planner/loader/DelegatePlannerFactory",
                "io/streamfusion/sql/hook/PlannerHook",
                "io/streamfusion/sql/hook/HookCheck",
                "io/streamfusion/sql/hook/HookedFactory",
                "io/streamfusion/sql/hook/PlannerClassLoader",
                "io/streamfusion/sql/StreamFusion"
            })
    void anOldJavaCanLoadTheHook(String name) throws Exception {
        try (InputStream file = PlannerHookTest.class.getResourceAsStream("/" + name + ".class");
                DataInputStream in = new DataInputStream(file)) {
            in.readInt();
            in.readUnsignedShort();
            assertThat(in.readUnsignedShort()).isEqualTo(JAVA_11);
        }
    }
}
