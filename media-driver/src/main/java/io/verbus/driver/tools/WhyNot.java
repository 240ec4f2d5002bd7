// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.driver.tools.ClientStates.Arriving;
import io.verbus.driver.tools.ClientStates.Destination;
import io.verbus.driver.tools.ClientStates.Reader;
import io.verbus.driver.tools.ClientStates.Registered;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * State of a publication or subscription in one word, and a sentence that says why it is not
 * connected, or what holds it back.
 *
 * @param state {@code waiting}, {@code connected}, {@code blocked}, {@code untethered}, {@code no
 *     receiver} or {@code ended}.
 * @param why cause and remedy; empty if there is nothing to say.
 */
record WhyNot(String state, String why) {
    private static final Pattern ENDPOINT = Pattern.compile("[?|](endpoint|control)=([^|]*)");

    /** Explains the state of a publication or subscription. */
    static WhyNot of(Registered each, ClientStates all) {
        return each.isSubscription() ? ofSubscription(each, all) : ofPublication(each, all);
    }

    private static WhyNot ofPublication(Registered each, ClientStates all) {
        StreamStatus status = all.statusOf(each);
        if (each.clientId() == ClientStates.NO_CLIENT) {
            return new WhyNot(
                    "ended", "its clients have closed the publication" + unread(status, all));
        }
        return switch (each.state()) {
            case CONNECTED -> connected(each, status, all);
            case WAITING -> new WhyNot("waiting", known(each, noReceiver(each, all)));
            case LEFT ->
                    new WhyNot(
                            "no receiver",
                            known(
                                    each,
                                    "the last receiver has left or is silent: "
                                            + noReceiver(each, all)));
        };
    }

    private static String known(Registered each, String otherwise) {
        return each.reason().isEmpty() ? otherwise : each.reason();
    }

    private static String unread(StreamStatus status, ClientStates all) {
        return status == null || status.behind() <= 0
                ? ""
                : ", but %,d".formatted(status.behind())
                        + " bytes are outstanding ("
                        + holder(status, all)
                        + ")";
    }

    private static WhyNot connected(Registered each, StreamStatus status, ClientStates all) {
        if (status != null && !status.openClaim().isEmpty()) {
            return new WhyNot(status.isBlocked() ? "blocked" : "connected", status.openClaim());
        }
        if (status != null && status.isBlocked()) {
            return new WhyNot(
                    "blocked",
                    "by "
                            + holder(status, all)
                            + ", "
                            + "%,d".formatted(status.behind())
                            + (status.isLingering()
                                    ? " bytes behind: it is untethered and detached, but its"
                                            + " position counts until its linger timeout has"
                                            + " passed"
                                    : " bytes behind: consume faster there"));
        }
        List<Destination> absent =
                all.destinationsOf(each).stream().filter(one -> !one.isConnected()).toList();
        return new WhyNot(
                "connected",
                absent.isEmpty()
                        ? ""
                        : "these destinations are not connected: "
                                + absent.stream()
                                        .map(Destination::address)
                                        .collect(Collectors.joining(", "))
                                + "; see `verbus errors`");
    }

    /** Adds the client's name to a reader's description. */
    private static String holder(StreamStatus status, ClientStates all) {
        if (status.slowest().isEmpty()) {
            return "a receiver";
        }
        long client = status.slowestClient();
        return client == ClientStates.NO_CLIENT
                ? status.slowest()
                : status.slowest().replace("client " + client, all.nameOf(client));
    }

    private static String noReceiver(Registered each, ClientStates all) {
        if (each.carrier().equals("ipc")) {
            return absent(
                    "subscription",
                    each,
                    " over IPC in this driver",
                    local(all, true, "ipc"),
                    "subscribe to the stream on an ipc channel of this driver");
        }
        String endpoint = endpoint(each.channel());
        if (endpoint.isEmpty()) {
            return "none of the publication's destinations has a receiver: subscribe there, or add"
                    + " other destinations";
        }
        if (each.carrier().contains("rdma")) {
            return "no answer from " + endpoint + " yet: if this persists, see `verbus errors`";
        }
        return "no receiver has answered at "
                + endpoint
                + ": subscribe to stream "
                + each.streamId()
                + " there, and check the address and firewalls";
    }

    private static WhyNot ofSubscription(Registered each, ClientStates all) {
        return switch (each.state()) {
            case WAITING -> new WhyNot("waiting", known(each, noPublication(each, all)));
            case LEFT -> new WhyNot("ended", each.reason());
            case CONNECTED -> {
                List<Reader> readers = all.readersOf(each);
                boolean isDetached =
                        !readers.isEmpty() && readers.stream().allMatch(Reader::isDetached);
                yield isDetached
                        ? new WhyNot("untethered", detached(readers.getFirst()))
                        : new WhyNot("connected", "");
            }
        };
    }

    private static String detached(Reader reader) {
        String state = reader.label().substring(reader.label().lastIndexOf(' ') + 1);
        return "the subscriber fell too far behind and was detached ("
                + state
                + "): consume faster, or subscribe with tether=true";
    }

    private static String noPublication(Registered each, ClientStates all) {
        String remedy = "publish to the same stream, or subscribe to another";
        switch (each.carrier()) {
            case "ipc" -> {
                return absent(
                        "publication",
                        each,
                        " over IPC in this driver",
                        local(all, false, "ipc"),
                        remedy);
            }
            case "spy" -> {
                return absent(
                        "publication",
                        each,
                        " on this channel in this driver",
                        local(all, false, "spy"),
                        remedy);
            }
            case "sources" -> {
                return "no publication of stream "
                        + each.streamId()
                        + " has reached the subscription's destinations: see `verbus errors`";
            }
            default -> {
                String endpoint = endpoint(each.channel());
                return absent(
                        "publication",
                        each,
                        " has reached "
                                + (endpoint.isEmpty() ? "the subscription's address" : endpoint),
                        arrivingAt(endpoint, all),
                        "publish there, and check the address and firewalls");
            }
        }
    }

    /** An existing stream and its session; session 0 means all sessions. */
    private record There(int streamId, int sessionId) {}

    private static List<There> local(ClientStates all, boolean isSubscription, String carrier) {
        return all.registered().stream()
                .filter(each -> each.isSubscription() == isSubscription)
                .filter(
                        each ->
                                carrier.equals("spy")
                                        ? !each.carrier().equals("ipc")
                                        : each.carrier().equals(carrier))
                .map(each -> new There(each.streamId(), each.sessionId()))
                .toList();
    }

    private static List<There> arrivingAt(String endpoint, ClientStates all) {
        return all.arriving().stream()
                .filter(image -> endpoint(image.channel()).equals(endpoint))
                .map(WhyNot::there)
                .toList();
    }

    private static There there(Arriving image) {
        return new There(image.streamId(), image.sessionId());
    }

    /** Explains that a stream's counterpart is missing, and lists the streams that have one. */
    private static String absent(
            String what, Registered each, String where, List<There> there, String remedy) {
        SortedSet<Integer> streams = new TreeSet<>();
        there.forEach(one -> streams.add(one.streamId()));
        String preposition = what.equals("subscription") ? " for" : " of";
        String begin = "no " + what + preposition;
        if (streams.contains(each.streamId())) {
            return begin
                    + (each.sessionId() == 0
                            ? " a matching session"
                            : " session " + each.sessionId())
                    + " of stream "
                    + each.streamId()
                    + where
                    + "; there are only other sessions or tags: compare the channels";
        }
        String others =
                streams.isEmpty()
                        ? ""
                        : "; "
                                + (streams.size() == 1 ? "stream " : "streams ")
                                + streams.stream()
                                        .map(String::valueOf)
                                        .collect(Collectors.joining(", "))
                                + (streams.size() == 1 ? " exists" : " exist");
        return begin + " stream " + each.streamId() + where + others + ": " + remedy;
    }

    /** Returns the endpoint of a channel, or its control address; empty if it has neither. */
    static String endpoint(String channel) {
        Matcher endpoint = ENDPOINT.matcher(channel);
        String control = "";
        while (endpoint.find()) {
            if (endpoint.group(1).equals("endpoint")) {
                return endpoint.group(2);
            }
            control = endpoint.group(2);
        }
        return control;
    }
}
