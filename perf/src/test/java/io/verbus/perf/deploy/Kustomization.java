// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.deploy;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The part of a kustomization that those in {@code deploy} use. */
record Kustomization(
        String apiVersion,
        String kind,
        List<String> resources,
        List<String> components,
        List<Generator> configMapGenerator,
        List<Patch> patches) {
    /** Generator of a ConfigMap. */
    record Generator(String name, List<String> files) {}

    /** Strategic merge patch, which names its target. */
    record Patch(String path) {}

    Kustomization {
        resources = resources == null ? List.of() : resources;
        components = components == null ? List.of() : components;
        configMapGenerator = configMapGenerator == null ? List.of() : configMapGenerator;
        patches = patches == null ? List.of() : patches;
    }

    /** Returns the files and directories that it lists, relative to its own directory. */
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
