// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.verbus.udp", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule layers =
            layeredArchitecture()
                    .consideringOnlyDependenciesInLayers()
                    .layer("entry")
                    .definedBy("io.verbus.udp")
                    .layer("outbound")
                    .definedBy("io.verbus.udp.outbound")
                    .layer("inbound")
                    .definedBy("io.verbus.udp.inbound")
                    .layer("common")
                    .definedBy("io.verbus.udp.common")
                    .layer("wire")
                    .definedBy("io.verbus.udp.wire")
                    .layer("socket")
                    .definedBy("io.verbus.udp.socket")
                    .whereLayer("entry")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("outbound")
                    .mayOnlyBeAccessedByLayers("entry")
                    .whereLayer("inbound")
                    .mayOnlyBeAccessedByLayers("entry")
                    .whereLayer("common")
                    .mayOnlyBeAccessedByLayers("entry", "outbound", "inbound")
                    .whereLayer("wire")
                    .mayOnlyBeAccessedByLayers("outbound", "inbound")
                    .whereLayer("socket")
                    .mayOnlyBeAccessedByLayers("entry", "common", "outbound", "inbound")
                    .because("the two sides of the protocol interact only through its frames");

    @ArchTest
    static final ArchRule noCycles =
            slices().matching("io.verbus.udp.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule moduleUsesOnlyContracts =
            classes()
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "java..",
                            "org.agrona..",
                            "io.verbus",
                            "io.verbus.channel..",
                            "io.verbus.cnc..",
                            "io.verbus.logbuffer..",
                            "io.verbus.memory..",
                            "io.verbus.transport..",
                            "io.verbus.udp..")
                    .because("a transport must not depend on drivers, clients and commands");

    @ArchTest
    static final ArchRule nativeCallsAreInOnePackage =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.verbus.udp.socket")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("java.lang.foreign..", "java.nio.channels..")
                    .because("the protocol accesses the network through the socket package");
}
