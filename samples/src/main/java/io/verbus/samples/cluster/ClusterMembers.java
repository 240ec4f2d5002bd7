// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.cluster;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Endpoints of the members of a cluster. Each member takes ten ports of its host, and all members
 * need the same list.
 *
 * @param hosts hosts of the members, by member id.
 * @param firstPort first port of member 0.
 */
public record ClusterMembers(List<String> hosts, int firstPort) {
    private static final int PORTS = 10;

    /**
     * Kinds of traffic, for each of which a member has an endpoint, in the order of Aeron's member
     * list.
     */
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

    /** Returns the list for a consensus module. */
    String forMembers() {
        return IntStream.range(0, hosts.size())
                .mapToObj(
                        member ->
                                Stream.of(Purpose.values())
                                        .map(purpose -> endpoint(member, purpose))
                                        .collect(Collectors.joining(",", member + ",", "")))
                .collect(Collectors.joining("|"));
    }

    /** Returns the list for a backup. */
    String forBackups() {
        return IntStream.range(0, hosts.size())
                .mapToObj(member -> endpoint(member, Purpose.CONSENSUS))
                .collect(Collectors.joining(","));
    }

    /** Returns the list for a client. */
    public String forClients() {
        return IntStream.range(0, hosts.size())
                .mapToObj(member -> member + "=" + endpoint(member, Purpose.INGRESS))
                .collect(Collectors.joining(","));
    }
}
