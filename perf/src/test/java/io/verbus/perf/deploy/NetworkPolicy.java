// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.deploy;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.ObjectMeta;

import java.util.List;

/** The parts of Kubernetes' NetworkPolicy that the files in deploy use. */
record NetworkPolicy(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
    /** Selected pods, and the traffic allowed to reach them. */
    record Spec(LabelSelector podSelector, List<String> policyTypes, List<Rule> ingress) {}

    /** Allowed traffic: from anywhere if no peers are named. */
    record Rule(List<Peer> from, List<Port> ports) {}

    /** Source of traffic: both selectors must match. */
    record Peer(LabelSelector namespaceSelector, LabelSelector podSelector) {}

    /** Port by its name in the pod; all ports of the protocol if it is null. */
    record Port(String protocol, String port) {}
}
