// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.deploy;

import com.fasterxml.jackson.annotation.JsonProperty;

import io.fabric8.kubernetes.api.model.ObjectMeta;

import java.util.List;

/** Multus NetworkAttachmentDefinition, whose configuration is JSON for a CNI plugin. */
record NetworkAttachment(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
    /** Annotation of the attachment: resource of the device plugin. */
    static final String RESOURCE = "k8s.v1.cni.cncf.io/resourceName";

    /** Annotation of a pod: list of {@link Selection}. */
    static final String NETWORKS = "k8s.v1.cni.cncf.io/networks";

    /** Configuration of the plugin, as JSON. */
    record Spec(String config) {}

    /** The part of the macvlan and sriov plugins' configuration that {@code deploy} uses. */
    record Config(
            String cniVersion,
            String name,
            String type,
            String master,
            String mode,
            Integer mtu,
            @JsonProperty("link_state") String linkState,
            Capabilities capabilities,
            Ipam ipam) {}

    /** Values that the runtime may supply: addresses. */
    record Capabilities(boolean ips) {}

    /** IP address management plugin. */
    record Ipam(String type) {}

    /** Network of a pod. */
    record Selection(
            String name, @JsonProperty("interface") String networkInterface, List<String> ips) {}

    Config config() {
        return StrictYaml.parseJson(spec.config(), Config.class);
    }
}
