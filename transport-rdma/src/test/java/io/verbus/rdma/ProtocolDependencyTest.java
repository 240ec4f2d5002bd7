// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.verbus.rdma", importOptions = ImportOption.DoNotIncludeTests.class)
class ProtocolDependencyTest {
    @ArchTest
    static final ArchRule layers =
            layeredArchitecture()
                    .consideringOnlyDependenciesInLayers()
                    .layer("entry")
                    .definedBy("io.verbus.rdma")
                    .layer("outbound")
                    .definedBy("io.verbus.rdma.outbound")
                    .layer("inbound")
                    .definedBy("io.verbus.rdma.inbound")
                    .layer("common")
                    .definedBy("io.verbus.rdma.common")
                    .layer("fabric")
                    .definedBy("io.verbus.rdma.fabric")
                    .layer("verbs")
                    .definedBy("io.verbus.rdma.verbs")
                    .layer("calls")
                    .definedBy("io.verbus.rdma.calls")
                    .layer("doctor")
                    .definedBy("io.verbus.rdma.doctor")
                    .whereLayer("entry")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("outbound")
                    .mayOnlyBeAccessedByLayers("entry")
                    .whereLayer("inbound")
                    .mayOnlyBeAccessedByLayers("entry")
                    .whereLayer("common")
                    .mayOnlyBeAccessedByLayers("entry", "outbound", "inbound")
                    .whereLayer("verbs")
                    .mayOnlyBeAccessedByLayers("entry", "doctor")
                    .whereLayer("calls")
                    .mayOnlyBeAccessedByLayers("verbs")
                    .whereLayer("doctor")
                    .mayNotBeAccessedByAnyLayer()
                    .because(
                            "the two sides of the protocol know each other only by its messages,"
                                    + " and reach devices only through the fabric");

    @ArchTest
    static final ArchRule noCycles =
            slices().matching("io.verbus.rdma.(*)..")
                    .should()
                    .beFreeOfCycles()
                    .because("a package must be understood from what stands below it");
}
