package io.streamfusion.dist;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Dependencies point one way: the boundary knows no backend, and only it knows the bindings. */
class ModuleGraphTest {
    private static final JavaClasses SHIPPED =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.streamfusion.ffi", "io.streamfusion.state");

    @Test
    void theBoundaryKnowsNeitherFlinkNorABackend() {
        classes()
                .that()
                .resideInAPackage("io.streamfusion.ffi..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.streamfusion.ffi..", "java..")
                .check(SHIPPED);
    }

    @Test
    void onlyTheBoundaryUsesTheBindings() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.streamfusion.ffi..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.streamfusion.ffi.generated..")
                .check(SHIPPED);
    }

    @Test
    void theMemoryBackendKnowsNoPaimon() {
        noClasses()
                .that()
                .resideInAPackage("io.streamfusion.state.memory..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.streamfusion.state.paimon..", "org.apache.paimon..")
                .check(SHIPPED);
    }

    @Test
    void theModulesFormNoCycle() {
        slices().matching("io.streamfusion.(*)..").should().beFreeOfCycles().check(SHIPPED);
    }
}
