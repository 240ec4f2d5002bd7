// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.deploy;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.ObjectMeta;

import java.util.List;

/** As much of Kubernetes' NetworkPolicy as that in deploy has. */
record NetworkPolicy(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
    /** Whom it protects, and from what. */
    record Spec(LabelSelector podSelector, List<String> policyTypes, List<Rule> ingress) {}

    /** What is let in: from anywhere if no peers are named. */
    record Rule(List<Peer> from, List<Port> ports) {}

    /** Where it comes from: both must fit. */
    record Peer(LabelSelector namespaceSelector, LabelSelector podSelector) {}

    /** A port by its name in the pod; all of a protocol if it has none. */
    record Port(String protocol, String port) {}
}
