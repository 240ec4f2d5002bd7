// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigSources;
import io.verbus.driver.files.DriverDirectory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks that the objects in {@code deploy/kubernetes} are valid and fit together. */
class KubernetesFilesTest {
    private static final Path FOLDER = Path.of("../deploy/kubernetes");
    private static final Path BASE = FOLDER.resolve("base");
    private static final Path HUGE_PAGES = FOLDER.resolve("components/huge-pages/huge-pages.yaml");
    private static final String SHARED = "overlays/rdma-shared-device-plugin";
    private static final String SRIOV = "overlays/sriov-multus";

    /** Memory of a driver's counters, commands and events with default settings. */
    private static final long FIXED_BYTES = 64 << 20;

    private static final long PAGE = 4096;
    private static final long HUGE_PAGE = 2 << 20;

    private final StatefulSet base =
            StrictYaml.read(BASE.resolve("statefulset.yaml"), StatefulSet.class);
    private final PodSpec pod = base.getSpec().getTemplate().getSpec();

    @Test
    void objectsHaveOnlyKnownFields() {
        for (Path file : files(".yaml")) {
            String kind = StrictYaml.tree(file).path("kind").asText();
            switch (kind) {
                case "Kustomization", "Component" -> {
                    Kustomization read = StrictYaml.read(file, Kustomization.class);
                    boolean isComponent = kind.equals("Component");
                    assertEquals(
                            "kustomize.config.k8s.io/" + (isComponent ? "v1alpha1" : "v1beta1"),
                            read.apiVersion(),
                            file.toString());
                }
                case "Service" -> StrictYaml.read(file, Service.class);
                case "StatefulSet" -> {
                    StatefulSet read = StrictYaml.read(file, StatefulSet.class);
                    assertEquals("apps/v1", read.getApiVersion(), file.toString());
                }
                case "NetworkAttachmentDefinition" -> {
                    NetworkAttachment read = StrictYaml.read(file, NetworkAttachment.class);
                    assertEquals("k8s.cni.cncf.io/v1", read.apiVersion(), file.toString());
                    assertEquals(read.metadata().getName(), read.config().name());
                }
                case "NetworkPolicy" -> {
                    NetworkPolicy read = StrictYaml.read(file, NetworkPolicy.class);
                    assertEquals("networking.k8s.io/v1", read.apiVersion(), file.toString());
                }
                default -> throw new AssertionError(file + " has the kind " + kind);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spec: {templates: {}}",
                "spec: {template: {spec: {containers: [{name: a, imagee: b}]}}}",
                "spec: {template: {spec: {volumes: [{name: a, emptyDir: {mediums: Memory}}]}}}",
                "spec: {replicas: many}",
                "spec: {replicas: 1, replicas: 2}",
            })
    void rejectsUnknownField(String wrong) {
        assertThrows(UncheckedIOException.class, () -> StrictYaml.parse(wrong, StatefulSet.class));
    }

    @Test
    void kustomizationsListAllFiles() {
        Set<Path> named = new HashSet<>();
        for (Path file : files("kustomization.yaml")) {
            named.add(file);
            StrictYaml.read(file, Kustomization.class)
                    .named()
                    .map(name -> file.resolveSibling(name).normalize())
                    .forEach(named::add);
        }
        named.forEach(file -> assertTrue(Files.exists(file), file + " does not exist"));
        Set<Path> unnamed = new TreeSet<>(files(""));
        unnamed.removeAll(named);
        assertEquals(Set.of(), unnamed, "not in any kustomization");
    }

    @Test
    void patchesMatchBase() {
        for (Path file : patches()) {
            StatefulSet patch = StrictYaml.read(file, StatefulSet.class);
            assertEquals(base.getMetadata().getName(), patch.getMetadata().getName());
            PodSpec patched = patch.getSpec().getTemplate().getSpec();
            Set<String> volumes = names(pod.getVolumes(), Volume::getName);
            volumes.addAll(names(patched.getVolumes(), Volume::getName));
            for (Container container : patched.getInitContainers()) {
                checkPatch(container, container(pod.getInitContainers(), container), volumes);
            }
            for (Container container : patched.getContainers()) {
                checkPatch(container, container(pod.getContainers(), container), volumes);
            }
        }
    }

    private static void checkPatch(Container patch, Container patched, Set<String> volumes) {
        Set<String> mounts = names(patch.getVolumeMounts(), VolumeMount::getName);
        assertTrue(volumes.containsAll(mounts), mounts + " of " + volumes);
        Set<String> variables = names(patched.getEnv(), EnvVar::getName);
        for (EnvVar variable : patch.getEnv()) {
            String name = variable.getName();
            assertTrue(name.startsWith("VERBUS_") || variables.contains(name), name);
        }
        // The limit of devices or huge pages must equal the request.
        if (patch.getResources() != null) {
            assertEquals(patch.getResources().getRequests(), patch.getResources().getLimits());
        }
    }

    @Test
    void podHasGuaranteedCpusAndMemory() {
        for (Container container : containers()) {
            Map<String, Quantity> limits = container.getResources().getLimits();
            assertEquals(limits, container.getResources().getRequests(), container.getName());
            assertEquals(Set.of("cpu", "memory"), limits.keySet());
            // The static CPU manager assigns only whole CPUs.
            assertTrue(limits.get("cpu").toString().matches("[1-9][0-9]*"), container.getName());
        }
    }

    @Test
    void podIsUnprivileged() {
        assertTrue(pod.getSecurityContext().getRunAsNonRoot());
        assertEquals(10001, pod.getSecurityContext().getRunAsUser());
        for (Container container : containers()) {
            SecurityContext context = container.getSecurityContext();
            assertEquals(List.of("ALL"), context.getCapabilities().getDrop());
            assertEquals(false, context.getAllowPrivilegeEscalation());
            assertEquals(true, context.getReadOnlyRootFilesystem());
        }
    }

    @Test
    void memoryVolumeFitsStreams() {
        long needed = streams() * roundedUp(3L * config(Map.of()).termLength(), PAGE) + FIXED_BYTES;
        Volume shared =
                pod.getVolumes().stream()
                        .filter(volume -> volume.getName().equals("shared"))
                        .findFirst()
                        .orElseThrow();
        assertEquals("Memory", shared.getEmptyDir().getMedium());
        long size = bytes(shared.getEmptyDir().getSizeLimit());
        assertTrue(size >= needed, size + " of " + needed);
        Container driver = driver(pod);
        long heap = Long.parseLong(heap(driver)) << 20;
        long limit = bytes(driver.getResources().getLimits().get("memory"));
        assertTrue(
                limit >= size + 2 * heap,
                "the volume counts toward the driver, which writes" + " to it");
    }

    @Test
    void hugePagesFitStreams() {
        StatefulSet patch = StrictYaml.read(HUGE_PAGES, StatefulSet.class);
        Container driver = driver(patch.getSpec().getTemplate().getSpec());
        long size = bytes(driver.getResources().getLimits().get("hugepages-2Mi"));
        long needed = streams() * roundedUp(3L * config(Map.of()).termLength(), HUGE_PAGE);
        assertTrue(size >= needed, size + " of " + needed);
    }

    private long streams() {
        return Long.parseLong(
                base.getSpec()
                        .getTemplate()
                        .getMetadata()
                        .getAnnotations()
                        .get("verbus.io/streams"));
    }

    /** Returns the size of a log, including its metadata after the terms. */
    private static long roundedUp(long terms, long page) {
        return (terms + PAGE + page - 1) / page * page;
    }

    @Test
    void driversAcceptTheirSettings() {
        for (Path file : patches()) {
            PodSpec patched =
                    StrictYaml.read(file, StatefulSet.class).getSpec().getTemplate().getSpec();
            Map<String, String> variables = new LinkedHashMap<>();
            for (EnvVar variable : driver(patched).getEnv()) {
                variables.put(variable.getName(), variable.getValue());
            }
            DriverConfig config = config(variables);
            Set<String> known =
                    MediaDriver.presentOptions().stream()
                            .map(option -> option.name())
                            .collect(Collectors.toSet());
            assertTrue(known.containsAll(config.transportOptions().keySet()), file.toString());
        }
        assertEquals(Path.of("/dev/shm/verbus"), config(Map.of()).directory());
    }

    @Test
    void probesQueryDriverFromWithinPod() throws IOException, InterruptedException {
        Container driver = driver(pod);
        Path directory = DriverDirectory.uniquePath();
        try (MediaDriver running =
                MediaDriver.launch(
                        DriverConfig.builder()
                                .directory(directory)
                                .metrics(Endpoint.parse("127.0.0.1:0"))
                                .build())) {
            for (Probe probe : List.of(driver.getStartupProbe(), driver.getLivenessProbe())) {
                assertEquals(0, exitOf(probe, running.metrics().port(), "/healthz"));
                assertEquals(1, exitOf(probe, running.metrics().port(), "/no-such-page"));
            }
            Probe ready = driver.getReadinessProbe();
            assertEquals(0, exitOf(ready, running.metrics().port(), "/readyz"));
        }
        assertEquals(1, exitOf(driver.getLivenessProbe(), 1, "/healthz"), "nothing listens there");
    }

    /** Runs a probe's command, with another port and page in the place of the driver's. */
    private static int exitOf(Probe probe, int port, String page)
            throws IOException, InterruptedException {
        List<String> command =
                probe.getExec().getCommand().stream()
                        .map(word -> word.replace("/9464", "/" + port))
                        .map(word -> word.replaceFirst("/healthz|/readyz", page))
                        .toList();
        return new ProcessBuilder(command).start().waitFor();
    }

    @Test
    void onlyPrometheusReachesMetrics() {
        NetworkPolicy policy =
                StrictYaml.read(BASE.resolve("network-policy.yaml"), NetworkPolicy.class);
        assertEquals(
                policy.spec().podSelector().getMatchLabels(),
                base.getSpec().getTemplate().getMetadata().getLabels());
        assertEquals(List.of("Ingress"), policy.spec().policyTypes());
        String port = driver(pod).getPorts().getFirst().getName();
        for (NetworkPolicy.Rule rule : policy.spec().ingress()) {
            for (NetworkPolicy.Port each : rule.ports()) {
                if (each.protocol().equals("TCP")) {
                    assertEquals(port, each.port());
                    assertEquals(1, rule.from().size());
                    assertEquals(
                            Map.of("app.kubernetes.io/name", "prometheus"),
                            rule.from().getFirst().podSelector().getMatchLabels());
                } else {
                    assertEquals("UDP", each.protocol(), "streams");
                }
            }
        }
        assertEquals("0.0.0.0", config(Map.of()).metrics().host());
    }

    private static DriverConfig config(Map<String, String> variables) {
        return new DriverConfigSources(DriverConfig.builder(), MediaDriver.presentMedia())
                .file(BASE.resolve("driver.properties"))
                .environment(variables)
                .build();
    }

    @Test
    void applicationsAcceptTheirChannels() throws ReflectiveOperationException {
        List<EnvVar> variables =
                Stream.concat(
                                pod.getContainers().stream(),
                                patches().stream()
                                        .map(file -> StrictYaml.read(file, StatefulSet.class))
                                        .map(set -> set.getSpec().getTemplate().getSpec())
                                        .flatMap(spec -> spec.getContainers().stream()))
                        .flatMap(container -> container.getEnv().stream())
                        .filter(variable -> variable.getName().equals("CHANNEL"))
                        .toList();
        assertEquals(3, variables.size());
        for (EnvVar variable : variables) {
            ChannelUri.parse(variable.getValue().replace("$(POD_IP)", "10.0.0.1"));
        }
        List<String> command = pod.getContainers().getFirst().getCommand();
        String main = command.get(command.indexOf("/opt/verbus/lib/*") + 1);
        assertEquals(main, Class.forName(main, false, getClass().getClassLoader()).getName());
    }

    @ParameterizedTest
    @ValueSource(strings = {SHARED, SRIOV})
    void podsAreAttachedToNetworkOfTheirDriver(String overlay) {
        NetworkAttachment network =
                StrictYaml.read(
                        FOLDER.resolve(overlay).resolve("network.yaml"), NetworkAttachment.class);
        StatefulSet patch =
                StrictYaml.read(FOLDER.resolve(overlay).resolve("rdma.yaml"), StatefulSet.class);
        String networks =
                patch.getSpec()
                        .getTemplate()
                        .getMetadata()
                        .getAnnotations()
                        .get(NetworkAttachment.NETWORKS);
        NetworkAttachment.Selection[] selections =
                StrictYaml.parseJson(networks, NetworkAttachment.Selection[].class);
        assertEquals(1, selections.length);
        assertEquals(network.metadata().getName(), selections[0].name());
        assertTrue(network.config().capabilities().ips(), "the annotation provides the address");

        PodSpec patched = patch.getSpec().getTemplate().getSpec();
        String[] address = selections[0].ips().getFirst().split("/");
        String channel = patched.getContainers().getFirst().getEnv().getFirst().getValue();
        assertTrue(channel.contains("endpoint=" + address[0] + ":"), channel);
        String driversNetwork = driver(patched).getEnv().getFirst().getValue();
        assertEquals(address[0].replaceAll("\\d+$", "0") + "/" + address[1], driversNetwork);

        Set<String> resources = driver(patched).getResources().getLimits().keySet();
        assertEquals(
                resources,
                overlay.equals(SRIOV)
                        ? Set.of(
                                network.metadata().getAnnotations().get(NetworkAttachment.RESOURCE))
                        : Set.of("rdma/hca_shared_devices_a"));
    }

    private List<Container> containers() {
        return Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
                .toList();
    }

    private static Container driver(PodSpec spec) {
        return spec.getInitContainers().stream()
                .filter(container -> container.getName().equals("driver"))
                .findFirst()
                .orElseThrow();
    }

    private static Container container(List<Container> containers, Container like) {
        return containers.stream()
                .filter(container -> container.getName().equals(like.getName()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the base has no " + like.getName()));
    }

    private static String heap(Container driver) {
        return driver.getEnv().getFirst().getValue().replaceAll(".*-Xmx(\\d+)m.*", "$1");
    }

    private static long bytes(Quantity quantity) {
        BigDecimal bytes = Quantity.getAmountInBytes(quantity);
        return bytes.longValueExact();
    }

    private static <T> Set<String> names(List<T> objects, Function<T, String> name) {
        return objects.stream().map(name).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Path> patches() {
        return files("kustomization.yaml").stream()
                .flatMap(
                        file ->
                                StrictYaml.read(file, Kustomization.class).patches().stream()
                                        .map(patch -> file.resolveSibling(patch.path())))
                .toList();
    }

    private static List<Path> files(String end) {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            List<Path> found =
                    files.filter(Files::isRegularFile)
                            .filter(file -> file.toString().endsWith(end))
                            .sorted()
                            .toList();
            assertTrue(found.size() >= 3, "found only " + found);
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
