// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.deploy;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** As much of a kustomization as those in deploy have. */
record Kustomization(
        String apiVersion,
        String kind,
        List<String> resources,
        List<String> components,
        List<Generator> configMapGenerator,
        List<Patch> patches) {
    /** A generator of a ConfigMap. */
    record Generator(String name, List<String> files) {}

    /** A strategic merge, which names what it patches. */
    record Patch(String path) {}

    Kustomization {
        resources = resources == null ? List.of() : resources;
        components = components == null ? List.of() : components;
        configMapGenerator = configMapGenerator == null ? List.of() : configMapGenerator;
        patches = patches == null ? List.of() : patches;
    }

    /** Files and folders that it names, from its own folder. */
    Stream<Path> named() {
        return Stream.of(
                        resources.stream(),
                        components.stream(),
                        configMapGenerator.stream().flatMap(each -> each.files().stream()),
                        patches.stream().map(Patch::path))
                .flatMap(names -> names)
                .map(Path::of);
    }
}
