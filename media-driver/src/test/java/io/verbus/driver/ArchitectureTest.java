// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import io.verbus.BusException;

@AnalyzeClasses(packages = "io.verbus.driver", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule THE_DRIVER_KNOWS_NO_TRANSPORT =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.verbus.rdma..", "io.verbus.udp..")
                    .because("the driver reaches transports through io.verbus.transport only");

    @ArchTest
    static final ArchRule ONLY_METRICS_ARE_SERVED_BY_SOCKETS =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.verbus.driver.metrics..")
                    .should()
                    .dependOnClassesThat()
                    .haveNameMatching(
                            "java\\.n(et|io\\.channels)\\.(?!InetSocketAddress)"
                                    + ".*(Socket|Datagram|Selector).*")
                    .because("the driver reaches transports through io.verbus.transport only");

    @ArchTest
    static final ArchRule THE_CORE_KNOWS_NO_TOOL =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.verbus.driver.tools..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.verbus.driver.tools..", "picocli..")
                    .because("a driver is embedded without its command line");

    @ArchTest
    static final ArchRule THE_CORE_IS_NO_CLIENT =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.verbus.driver.tools..")
                    .should()
                    .dependOnClassesThat(
                            JavaClass.Predicates.resideInAPackage("io.verbus")
                                    .and(
                                            DescribedPredicate.not(
                                                    JavaClass.Predicates.assignableTo(
                                                            BusException.class))))
                    .because("driver and clients share memory and messages, not classes");

    @ArchTest
    static final ArchRule SENDER_AND_RECEIVER_KNOW_ONLY_TRANSPORTS =
            classes()
                    .that()
                    .belongToAnyOf(Sender.class, Receiver.class)
                    .should()
                    .onlyDependOnClassesThat()
                    .haveNameMatching(
                            "java\\..*|org\\.agrona\\..*|io\\.verbus\\.transport\\.Transport"
                                + "|io\\.verbus\\.driver\\.(transports\\.Transports|Sender|Receiver)"
                                + "|io\\.verbus\\.driver\\.publication\\.SpiedPublications"
                                + "|io\\.verbus\\.driver\\.agent\\.(CycleTime|NetworkAgent|Mergers)"
                                + "|\\[Lio\\.verbus\\.transport\\.Transport;")
                    .because("all else belongs to the conductor");
}
