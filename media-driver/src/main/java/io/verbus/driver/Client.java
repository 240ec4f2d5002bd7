// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A client and its registrations. The client writes the time to its heartbeat counter. If the
 * client sends a keepalive command, the driver writes the time on its behalf. Used by the
 * conductor's thread only.
 */
final class Client {
    private final long id;
    private final AtomicCounter heartbeat;
    private final Map<Long, Publication> publications = new LinkedHashMap<>();
    private final Map<Long, Subscription> subscriptions = new LinkedHashMap<>();
    private long lastSeenNs;
    private long lastHeartbeat;

    Client(long id, AtomicCounter heartbeat, long nowNs) {
        this.id = id;
        this.heartbeat = heartbeat;
        this.lastSeenNs = nowNs;
        this.lastHeartbeat = heartbeat == null ? 0 : heartbeat.get();
    }

    long id() {
        return id;
    }

    /** Records a command from the client as a sign of life. */
    void onSeen(long nowNs) {
        lastSeenNs = nowNs;
    }

    /** Records a keepalive from the client. */
    void onKeepalive(long nowNs, long nowMs) {
        heartbeat.setRelease(nowMs);
        onSeen(nowNs);
    }

    /** Checks whether the client has updated its heartbeat counter. */
    void look(long nowNs) {
        long now = heartbeat.get();
        if (now != lastHeartbeat) {
            lastHeartbeat = now;
            lastSeenNs = nowNs;
        }
    }

    int heartbeatId() {
        return heartbeat.id();
    }

    /**
     * Moves the client's last sign of life forward by the length of a pause during which the driver
     * could not observe it.
     */
    void onPause(long pauseNs) {
        lastSeenNs += pauseNs;
    }

    long lastSeenNs() {
        return lastSeenNs;
    }

    /** Returns the client's publications by registration id; other clients may share them. */
    Map<Long, Publication> publications() {
        return publications;
    }

    /** Returns the client's subscriptions, by registration id. */
    Map<Long, Subscription> subscriptions() {
        return subscriptions;
    }

    /** Returns one of the client's publications, or null. */
    Publication publication(long registrationId) {
        return publications.get(registrationId);
    }

    /** Returns one of the client's subscriptions, or null. */
    Subscription subscription(long registrationId) {
        return subscriptions.get(registrationId);
    }

    void free() {
        heartbeat.close();
    }
}
