// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Checks which packages of this module may depend on which. */
@AnalyzeClasses(
        packages = "io.verbus",
        importOptions = {ImportOption.DoNotIncludeTests.class})
class ArchitectureTest {
    private static final DescribedPredicate<JavaClass> API =
            DescribedPredicate.describe(
                    "the API, but for BusException",
                    type ->
                            type.getPackageName().equals("io.verbus")
                                    && !type.isAssignableTo(BusException.class));

    @ArchTest
    static final ArchRule sharedMemoryDependsNeitherOnTransportsNorOnTheApi =
            noClasses()
                    .that()
                    .resideInAnyPackage(
                            "io.verbus.logbuffer..", "io.verbus.cnc..", "io.verbus.directory..")
                    .should()
                    .dependOnClassesThat(
                            API.or(
                                    JavaClass.Predicates.resideInAnyPackage(
                                            "io.verbus.channel..", "io.verbus.transport..")))
                    .because("client and driver share only logs and the CnC file");

    @ArchTest
    static final ArchRule logsAndCncFileAreIndependent =
            slices().matching("io.verbus.(logbuffer|cnc)..").should().notDependOnEachOther();

    @ArchTest
    static final ArchRule moduleDependsOnJavaAgronaAndCodecsOnly =
            classes()
                    .that()
                    .resideInAnyPackage(
                            "io.verbus",
                            "io.verbus.channel..",
                            "io.verbus.logbuffer..",
                            "io.verbus.cnc..",
                            "io.verbus.control..",
                            "io.verbus.directory..",
                            "io.verbus.memory..",
                            "io.verbus.release..",
                            "io.verbus.transport..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "java..",
                            "org.agrona..",
                            "io.verbus",
                            "io.verbus.channel..",
                            "io.verbus.logbuffer..",
                            "io.verbus.cnc..",
                            "io.verbus.control..",
                            "io.verbus.directory..",
                            "io.verbus.memory..",
                            "io.verbus.release..",
                            "io.verbus.transport..",
                            "io.verbus.codecs..")
                    .because("applications embed this module");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("io.verbus.(logbuffer|cnc|directory|memory|release|transport)..")
                    .should()
                    .beFreeOfCycles();
}
