// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A client and what it has registered. It stores the time in its counter to say that it lives.
 * Conductor's thread.
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

    /** The client has sent a command. */
    void onSeen(long nowNs) {
        lastSeenNs = nowNs;
    }

    /** The client says in a command that it lives. */
    void onKeepalive(long nowNs, long nowMs) {
        heartbeat.setRelease(nowMs);
        onSeen(nowNs);
    }

    /** Looks whether the client has stored another time since. */
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

    /** Shifts the last sign of life by a time in which it could not be seen. */
    void onPause(long pauseNs) {
        lastSeenNs += pauseNs;
    }

    long lastSeenNs() {
        return lastSeenNs;
    }

    /** The publications that the client holds, which may be shared, by registration id. */
    Map<Long, Publication> publications() {
        return publications;
    }

    /** The subscriptions of the client, by registration id. */
    Map<Long, Subscription> subscriptions() {
        return subscriptions;
    }

    /** A publication that the client holds; null if it has none of that id. */
    Publication publication(long registrationId) {
        return publications.get(registrationId);
    }

    /** A subscription of the client; null if it has none of that id. */
    Subscription subscription(long registrationId) {
        return subscriptions.get(registrationId);
    }

    void free() {
        heartbeat.close();
    }
}
