// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.deploy;

import com.fasterxml.jackson.annotation.JsonProperty;

import io.fabric8.kubernetes.api.model.ObjectMeta;

import java.util.List;

/** Multus' NetworkAttachmentDefinition, whose configuration is JSON for a CNI plugin. */
record NetworkAttachment(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
    /** Annotation of the attachment: the device plugin's resource that it takes a device of. */
    static final String RESOURCE = "k8s.v1.cni.cncf.io/resourceName";

    /** Annotation of a pod: a list of {@link Selection}. */
    static final String NETWORKS = "k8s.v1.cni.cncf.io/networks";

    /** What the plugin is given. */
    record Spec(String config) {}

    /** As much of the plugins' macvlan and sriov as those in deploy have. */
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

    /** What the runtime may give: addresses. */
    record Capabilities(boolean ips) {}

    /** Who gives addresses. */
    record Ipam(String type) {}

    /** A network of a pod. */
    record Selection(
            String name, @JsonProperty("interface") String networkInterface, List<String> ips) {}

    Config config() {
        return StrictYaml.parseJson(spec.config(), Config.class);
    }
}
