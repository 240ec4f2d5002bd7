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
    void noFileIsTooLong() throws IOException {
        Set<String> found = new TreeSet<>();
        int files = 0;
        try (Stream<Path> all = Files.walk(Path.of(".."))) {
            for (Path file :
                    all.filter(path -> path.toString().contains(SOURCES))
                            .filter(path -> path.toString().endsWith(".java"))
                            .toList()) {
                files++;
                if (Files.readString(file).lines().count() > MAX_LINES) {
                    found.add(file.getFileName().toString());
                }
            }
        }
        assertEquals(Set.of(), found, "give an idea of a file with over 500 lines its own");
        assertTrue(files > 500, files + " files");
    }

    private static long sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).count();
        }
    }
}
