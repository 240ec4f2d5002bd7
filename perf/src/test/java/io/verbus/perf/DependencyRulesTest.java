// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.verbus.perf", importOptions = ImportOption.DoNotIncludeTests.class)
class DependencyRulesTest {
    private static final String PROCESS = "io.verbus.perf.process";
    private static final String DEMO = "io.verbus.perf.demo..";
    private static final String BENCHMARKS = "io.verbus.perf.jmh..";
    private static final String REPORT_COMMAND = "io.verbus.perf.hostreport";
    private static final String[] MEASUREMENT = {
        "io.verbus.perf",
        "io.verbus.perf.aeron",
        "io.verbus.perf.floor",
        "io.verbus.perf.load",
        "io.verbus.perf.report",
        "io.verbus.perf.run",
        "io.verbus.perf.verbus"
    };

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
                            "io.verbus.perf.load",
                            "io.verbus.perf.process");

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

    /** Products of this module, which share only what starts and ends their processes. */
    @ArchTest
    static final ArchRule demoKnowsNoMeasurement =
            noClasses()
                    .that()
                    .resideInAPackage("io.verbus.perf.demo..")
                    .should()
                    .dependOnClassesThat(
                            resideInAPackage("io.verbus.perf..")
                                    .and(resideOutsideOfPackages(DEMO, PROCESS)));

    @ArchTest
    static final ArchRule measurementKnowsNoDemoAndNoBenchmark =
            noClasses()
                    .that()
                    .resideInAnyPackage(MEASUREMENT)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(DEMO, BENCHMARKS, REPORT_COMMAND);

    @ArchTest
    static final ArchRule benchmarksKnowOnlyCodeUnderTest =
            noClasses()
                    .that()
                    .resideInAPackage(BENCHMARKS)
                    .should()
                    .dependOnClassesThat(
                            resideInAPackage("io.verbus.perf..")
                                    .and(
                                            resideOutsideOfPackages(
                                                    BENCHMARKS, "io.verbus.perf.floor")));

    @ArchTest
    static final ArchRule processesKnowNoProduct =
            noClasses()
                    .that()
                    .resideInAPackage(PROCESS)
                    .should()
                    .dependOnClassesThat(
                            resideInAPackage("io.verbus.perf..")
                                    .and(resideOutsideOfPackages(PROCESS)));

    @ArchTest
    static final ArchRule onlyProcessesHaveMainClass =
            noMethods()
                    .that()
                    .haveName("main")
                    .and()
                    .areStatic()
                    .should()
                    .beDeclaredInClassesThat(
                            resideOutsideOfPackages(PROCESS)
                                    .and(not(simpleName("TrainingRun")))
                                    .and(not(simpleName("ClusterTraining")))
                                    .and(resideOutsideOfPackages(BENCHMARKS)))
                    .because("ChildMain runs all programs of child processes");
}
