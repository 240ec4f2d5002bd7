// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.cluster;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Where the members of a cluster receive. Each takes ten ports of its host, and all members are
 * given the same list.
 *
 * @param hosts of the members, by member id.
 * @param firstPort of member 0.
 */
public record ClusterMembers(List<String> hosts, int firstPort) {
    private static final int PORTS = 10;

    /** What a member receives: an endpoint each, in the order of Aeron's list of members. */
    enum Purpose {
        INGRESS,
        CONSENSUS,
        LOG,
        CATCHUP,
        ARCHIVE
    }

    String endpoint(int member, Purpose purpose) {
        return hosts.get(member) + ":" + (firstPort + member * PORTS + purpose.ordinal());
    }

    /** As a consensus module takes them. */
    String forMembers() {
        return IntStream.range(0, hosts.size())
                .mapToObj(
                        member ->
                                Stream.of(Purpose.values())
                                        .map(purpose -> endpoint(member, purpose))
                                        .collect(Collectors.joining(",", member + ",", "")))
                .collect(Collectors.joining("|"));
    }

    /** As a backup takes them. */
    String forBackups() {
        return IntStream.range(0, hosts.size())
                .mapToObj(member -> endpoint(member, Purpose.CONSENSUS))
                .collect(Collectors.joining(","));
    }

    /** As a client takes them. */
    public String forClients() {
        return IntStream.range(0, hosts.size())
                .mapToObj(member -> member + "=" + endpoint(member, Purpose.INGRESS))
                .collect(Collectors.joining(","));
    }
}
