// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.verbus.perf", importOptions = ImportOption.DoNotIncludeTests.class)
class DependencyRulesTest {
    @ArchTest
    static final ArchRule measuringLoopRunsOnClassPathOfAnyBus =
            classes()
                    .that()
                    .resideInAPackage("io.verbus.perf.load")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "java..",
                            "com.sun.management",
                            "org.HdrHistogram",
                            "org.agrona",
                            "org.agrona.concurrent",
                            "io.verbus.perf.load");

    @ArchTest
    static final ArchRule peerRunsWithoutVerbus =
            classes()
                    .that()
                    .resideInAPackage("io.verbus.perf.aeron")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "java..",
                            "io.aeron..",
                            "org.agrona..",
                            "io.verbus.perf.load",
                            "io.verbus.perf.aeron");

    @ArchTest
    static final ArchRule aeronDemoRunsWithoutVerbus =
            classes()
                    .that()
                    .resideInAPackage("io.verbus.perf.demo.aeron")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "java..",
                            "io.aeron..",
                            "org.agrona..",
                            "io.verbus.perf.demo",
                            "io.verbus.perf.demo.aeron");

    @ArchTest
    static final ArchRule onlyPeerPackagesUseAeron =
            noClasses()
                    .that()
                    .resideOutsideOfPackages(
                            "io.verbus.perf.aeron",
                            "io.verbus.perf.demo.aeron",
                            "io.verbus.perf.demo.archive",
                            "io.verbus.perf.demo.cluster")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.aeron..");
}
