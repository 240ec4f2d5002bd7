// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.archive;

import io.verbus.perf.demo.DemoNetwork;

import java.util.List;

/**
 * Messages and channels of the archive demo. Every channel is {@code aeron:udp}; the networks in
 * the drivers' configuration determine the transport.
 *
 * @param messages number of messages to send, as fast as back pressure allows, before the late
 *     subscriber starts.
 * @param rate rate of the messages after that, per second.
 * @param publication channel of the publisher, to which receivers are added as destinations.
 * @param recorded destination at which the archive records.
 * @param live destination at which the late subscriber joins the live stream.
 * @param control channel of requests to the archive.
 * @param anyPort channel with the subscriber's address and a port chosen by the driver.
 */
record ArchivePlan(
        int messages,
        int rate,
        String publication,
        String recorded,
        String live,
        String control,
        String anyPort) {
    static final int STREAM_ID = 1001;

    /** Stream id of replays within the driver. */
    static final int LOCAL_REPLAY_STREAM_ID = 1002;

    /** Maximum number of live messages that a verifier has room for. */
    static final int MAX_LIVE = 50_000_000;

    private static final int PORTS = 3;
    private static final int WORDS = 7;

    /** Creates a plan with channels on a network. */
    static ArchivePlan of(DemoNetwork network, int messages, int rate) {
        int port = DemoNetwork.freePort(PORTS);
        String endpoint = "aeron:udp?endpoint=" + network.to() + ":";
        return new ArchivePlan(
                messages,
                rate,
                "aeron:udp?control-mode=manual|fc=min|interface=" + network.from(),
                endpoint + port,
                endpoint + (port + 1),
                endpoint + (port + 2),
                endpoint + 0);
    }

    /** Encodes the plan as arguments of a process. */
    List<String> words() {
        return List.of(
                Integer.toString(messages),
                Integer.toString(rate),
                publication,
                recorded,
                live,
                control,
                anyPort);
    }

    /** Parses the output of {@link #words} from the last arguments of a process. */
    static ArchivePlan parse(String[] args) {
        int at = args.length - WORDS;
        return new ArchivePlan(
                Integer.parseInt(args[at]),
                Integer.parseInt(args[at + 1]),
                args[at + 2],
                args[at + 3],
                args[at + 4],
                args[at + 5],
                args[at + 6]);
    }

    /** Returns the number of messages that a verifier has room for. */
    int room() {
        return messages + MAX_LIVE;
    }
}
