// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The current keys. Their file is read again when it changes, on another thread; existing
 * connections stay open. A network that the file no longer names stays guarded until the driver
 * restarts, or the file names it as open. Used by the conductor's thread.
 */
public final class KeyRing {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final TransportHost host;
    private final KeyFile file;
    private Keys keys = Keys.NONE;
    private boolean isLooking;
    private long lookAtNs;
    private String reported;

    /**
     * Reads the keys.
     *
     * @param host the driver.
     * @throws TransportException if the key file is invalid; the message names the defect.
     */
    public KeyRing(TransportHost host) {
        this.host = host;
        file = KeyFile.of(host);
        if (file != null) {
            keys = file.read();
        }
    }

    /** Checks the file periodically. */
    public void work(long nowNs) {
        if (file == null || isLooking || nowNs - lookAtNs < 0) {
            return;
        }
        isLooking = true;
        lookAtNs = nowNs + INTERVAL_NS;
        Keys[] found = new Keys[1];
        host.background(
                () -> found[0] = file.hasChanged() ? file.read() : null,
                failure -> onLooked(found[0], failure));
    }

    private void onLooked(Keys found, RuntimeException failure) {
        isLooking = false;
        if (failure != null) {
            String message =
                    failure.getMessage() + "; until then the driver uses the previous keys";
            if (!message.equals(reported)) {
                reported = message;
                host.onError(new TransportException(message, failure));
            }
        } else if (found != null) {
            keys = found.keeping(keys);
            reported = null;
            host.audit(
                    "keys file="
                            + file
                            + " networks="
                            + keys.networks()
                            + (keys.kept().isEmpty() ? "" : " kept=" + names(",")));
            tellKept();
        }
    }

    private String names(String separator) {
        return String.join(separator, keys.kept());
    }

    private void tellKept() {
        if (!keys.kept().isEmpty()) {
            host.onError(
                    new TransportException(
                            "the key file "
                                    + file
                                    + " no longer lists "
                                    + names(", ")
                                    + ": hosts in these networks still need the previous keys until"
                                    + " the driver restarts, or the file contains the line `"
                                    + keys.kept().getFirst()
                                    + " open`"));
        }
    }

    /** Starts the handshake of a connection to a host. */
    public InitiatorHandshake initiate(InetAddress peer) {
        return new InitiatorHandshake(keys.of(peer));
    }

    /**
     * Answers the challenge of a host that {@link #refusal} does not refuse.
     *
     * @param peer address of the connecting host.
     * @param asked challenge of the host.
     */
    public AcceptorHandshake accept(InetAddress peer, Challenge asked) {
        List<Key> own = keys.of(peer);
        return own.isEmpty() ? AcceptorHandshake.UNNEEDED : AcceptorHandshake.of(own, asked);
    }

    /**
     * Returns a key of the publishing driver's network to prove an announcement, alternating if
     * there are two.
     *
     * @param publisher address of the publishing driver.
     * @param attempt number of earlier attempts.
     * @return the key, or null if none is needed.
     */
    public Key announcing(InetAddress publisher, int attempt) {
        List<Key> all = keys.of(publisher);
        return all.isEmpty() ? null : all.get(attempt % all.size());
    }

    /**
     * Returns whether an announcement is proved or needs no proof.
     *
     * @param receiver address of the receiver.
     * @param key number of the proof's key; 0 without a proof.
     * @param covered data that the proof covers.
     * @param first first half of the shortened proof.
     * @param second second half of the shortened proof.
     */
    public boolean isProved(
            InetSocketAddress receiver, int key, byte[] covered, long first, long second) {
        List<Key> all = keys.of(receiver.getAddress());
        for (Key each : all) {
            if (each.id() == key && each.announcement(covered).isHalf(first, second)) {
                return true;
            }
        }
        return all.isEmpty();
    }

    /**
     * Explains why a host may not connect.
     *
     * @param peer address of the connecting host.
     * @param asked challenge of the host.
     * @return the reason with the remedy; null if the host may connect.
     */
    public String refusal(InetAddress peer, Challenge asked) {
        List<Key> own = keys.of(peer);
        if (own.isEmpty()) {
            return asked.isNone()
                    ? null
                    : "that host requires a key, but this driver has none for the host's network:"
                            + " use the same rdma.key-file on both hosts";
        }
        if (asked.isNone()) {
            return "its driver has no key for this network: give that driver an rdma.key-file with"
                    + " this driver's key";
        }
        return AcceptorHandshake.common(own, asked) != null
                ? null
                : "its key differs from this driver's: use the same rdma.key-file on both hosts";
    }
}
