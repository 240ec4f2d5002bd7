// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import io.verbus.channel.ChannelUri;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Checks the packages of the whole project: their dependencies, and how large they are. */
@AnalyzeClasses(packages = "io.verbus", importOptions = ImportOption.DoNotIncludeTests.class)
class PackageRulesTest {
    private static final String SOURCES = "/src/main/java/";
    private static final int MAX_FILES = 25;
    private static final int MAX_LINES = 500;
    private static final int LONG_LINES = 400;

    /** Files with more than 400 lines, each with the one idea that fills it. */
    private static final String LONG =
            """
            Bus: the calls that wait for the driver, most of it documentation
            BusContext: one setting, its documentation and its setter each
            ChannelKey: a table, one row per key
            ChannelUri: what a channel says, one method per key
            ChannelUriBuilder: one setter per key
            ClientConductor: the client's duty cycle and its answers to the driver's events
            CncFile: one layout, and access to each of its sections
            CommandExecutor: one handler per command
            ConnectionManager: librdmacm's calls, one method each
            ControlDecoder: one check per message of a peer
            ControlEndpoints: the receivers that announce themselves to a control address
            DatagramSocket: the system calls of one socket
            DriverConfigBuilder: one setter per option
            DriverCounters: one method per counter
            DriverDirectory: the life of one directory and its files
            DriverOptions: a table, one row per option
            DriverResolver: one protocol, in which a name is sent, kept and forgotten
            EndpointStreams: the resources of one connection, released in one order
            ExclusiveAppender: one way to claim, in each form of a message
            Image: one way to poll, in each form of a handler, most of it documentation
            InboundConductor: one decision per event of an endpoint or an image
            InboundImages: the life of an image, from offer to release
            InboundLink: one answer per message of a peer
            LogBuffers: one mapping, and access to each of its parts
            LogReader: one walk over frames, in each form of a handler
            MediaDriver: the start of a driver, and its end in the reverse order
            MergedImage: the sources of one image
            NetworkImage: the states of one image
            NetworkPublication: the positions of one publication
            OutboundConductor: one decision per event of a publication or an endpoint
            OutboundEndpoint: the states of one connection
            PerfServer: one answer per request of the measuring host
            Publication: what a publisher may call, and what the driver does with its log
            Publications: the life of publications, from their first command to their release
            RdmaOptions: a table, one row per option
            ReceiveImage: the frames, gaps and end of one image
            SendDestinations: the routes and sockets of one publication
            SendStream: the states of one stream
            Subscribers: the positions of one source's readers
            Subscription: the polls of a subscription, most of it documentation
            Subscriptions: the life of subscriptions, and their sources
            Transfer: the actions of one table of states
            VerbsConnection: the states of one queue pair
            VerbsFabric: the calls of one fabric, some of which may take long
            WorkOptions: a table, one row per option
            """;

    /** Packages with more files, each with the reason why it stays whole. */
    private static final Map<String, String> LARGE =
            Map.ofEntries(
                    Map.entry(
                            "io.verbus",
                            "the client: its public types share what only they may use"),
                    Map.entry(
                            "io.verbus.logbuffer",
                            "the log: appenders, readers and unblocker share its layout and its"
                                    + " words"),
                    Map.entry(
                            "io.verbus.driver.tools",
                            "the commands that read a driver's directory, and what they share"),
                    Map.entry(
                            "io.verbus.rdma.common",
                            "what both ends of a connection say to each other"),
                    Map.entry("io.verbus.rdma.outbound", "the publishing end of a stream"),
                    Map.entry(
                            "io.verbus.rdma.verbs",
                            "libibverbs and librdmacm, one class for each of their objects"),
                    Map.entry("io.verbus.transport", "what the driver and its transports call"),
                    Map.entry("io.verbus.udp.inbound", "the receiving end of a stream"),
                    Map.entry("io.verbus.udp.outbound", "the sending end of a stream"),
                    Map.entry("io.verbus.perf", "the commands of verbus perf"),
                    Map.entry("io.verbus.perf.demo", "the demo's processes"),
                    Map.entry(
                            "io.verbus.perf.load",
                            "what a measured process does, whatever the bus"));

    @ArchTest
    static final ArchRule modulesUseOnlyModulesBelow =
            layeredArchitecture()
                    .consideringOnlyDependenciesInLayers()
                    .layer("codecs")
                    .definedBy("io.verbus.codecs..")
                    .layer("api")
                    .definedBy(
                            "io.verbus",
                            "io.verbus.channel",
                            "io.verbus.cnc",
                            "io.verbus.control",
                            "io.verbus.directory",
                            "io.verbus.logbuffer",
                            "io.verbus.memory",
                            "io.verbus.release",
                            "io.verbus.transport")
                    .layer("rdma")
                    .definedBy("io.verbus.rdma..")
                    .layer("udp")
                    .definedBy("io.verbus.udp..")
                    .layer("driver")
                    .definedBy("io.verbus.driver..")
                    .layer("samples")
                    .definedBy("io.verbus.samples..")
                    .layer("perf")
                    .definedBy("io.verbus.perf..")
                    .whereLayer("codecs")
                    .mayNotAccessAnyLayer()
                    .whereLayer("api")
                    .mayOnlyAccessLayers("codecs")
                    .whereLayer("rdma")
                    .mayOnlyAccessLayers("api", "codecs")
                    .whereLayer("udp")
                    .mayOnlyAccessLayers("api", "codecs")
                    .whereLayer("driver")
                    .mayOnlyAccessLayers("api", "codecs")
                    .whereLayer("samples")
                    .mayOnlyAccessLayers("driver", "api", "codecs")
                    .whereLayer("perf")
                    .mayOnlyAccessLayers("samples", "driver", "rdma", "udp", "api", "codecs")
                    .because("modules may only use those below them in docs/architecture.md");

    @ArchTest
    static final ArchRule driverSubpackagesDoNotUseDriver =
            noClasses()
                    .that()
                    .resideInAPackage("io.verbus.driver.*..")
                    .and()
                    .resideOutsideOfPackage("io.verbus.driver.tools..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.verbus.driver", "io.verbus.driver.tools..")
                    .because("the driver uses its subpackages: pass what they need as arguments");

    @ArchTest
    static final ArchRule channelsAreParsedOnlyByCommandExecutor =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.verbus.driver..", "io.verbus.rdma..", "io.verbus.udp..")
                    .and()
                    .doNotHaveFullyQualifiedName("io.verbus.driver.client.CommandExecutor")
                    .should()
                    .callMethod(ChannelUri.class, "parse", String.class)
                    .because("a command's channel is parsed once, and passed on as ChannelUri");

    @ArchTest
    static final ArchRule driverPackagesAreFreeOfCycles =
            slices().matching("io.verbus.driver.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule rdmaPackagesAreFreeOfCycles =
            slices().matching("io.verbus.rdma.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule udpPackagesAreFreeOfCycles =
            slices().matching("io.verbus.udp.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule perfPackagesAreFreeOfCycles =
            slices().matching("io.verbus.perf.(*)..").should().beFreeOfCycles();

    @Test
    void largePackagesAreListedWithReason() throws IOException {
        Set<String> large = new TreeSet<>();
        int packages = 0;
        try (Stream<Path> folders = Files.walk(Path.of(".."), 12)) {
            for (Path folder :
                    folders.filter(Files::isDirectory)
                            .filter(path -> path.toString().contains(SOURCES))
                            .toList()) {
                long files = sources(folder);
                packages += files > 0 ? 1 : 0;
                if (files > MAX_FILES) {
                    String path = folder.toString();
                    large.add(
                            path.substring(path.indexOf(SOURCES) + SOURCES.length())
                                    .replace('/', '.'));
                }
            }
        }
        assertEquals(
                new TreeSet<>(LARGE.keySet()),
                large,
                "give a part of a large package its own, or list it with its reason");
        assertTrue(packages > 20, packages + " packages");
    }

    @Test
    void longFilesAreListedWithReason() throws IOException {
        Set<String> found = new TreeSet<>();
        Set<String> tooLong = new TreeSet<>();
        int files = 0;
        try (Stream<Path> all = Files.walk(Path.of(".."))) {
            for (Path file :
                    all.filter(path -> path.toString().contains(SOURCES))
                            .filter(path -> path.toString().endsWith(".java"))
                            .toList()) {
                files++;
                long lines = Files.readString(file).lines().count();
                String name = file.getFileName().toString().replace(".java", "");
                if (lines > LONG_LINES) {
                    found.add(name);
                }
                if (lines > MAX_LINES) {
                    tooLong.add(name);
                }
            }
        }
        assertEquals(
                LONG.lines().map(line -> line.substring(0, line.indexOf(": "))).toList(),
                List.copyOf(found),
                "give an idea of a long file its own, or list it with its reason");
        assertEquals(Set.of(), tooLong, "give an idea of a too long file its own");
        assertTrue(files > 500, files + " files");
    }

    private static long sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).count();
        }
    }
}
