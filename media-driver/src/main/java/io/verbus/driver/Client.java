// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A client and its registrations. The client stores the time in its heartbeat counter; the driver
 * does so for a keepalive command. Used by the conductor's thread.
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

    /** Records a command of the client as a sign of life. */
    void onSeen(long nowNs) {
        lastSeenNs = nowNs;
    }

    /** Records a keepalive of the client. */
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

    /** Shifts the last sign of life by a pause in which the driver could not see any. */
    void onPause(long pauseNs) {
        lastSeenNs += pauseNs;
    }

    long lastSeenNs() {
        return lastSeenNs;
    }

    /** Returns the publications that the client holds, by registration id; some may be shared. */
    Map<Long, Publication> publications() {
        return publications;
    }

    /** Returns the client's subscriptions, by registration id. */
    Map<Long, Subscription> subscriptions() {
        return subscriptions;
    }

    /** Returns a publication that the client holds, or null. */
    Publication publication(long registrationId) {
        return publications.get(registrationId);
    }

    /** Returns a subscription of the client, or null. */
    Subscription subscription(long registrationId) {
        return subscriptions.get(registrationId);
    }

    void free() {
        heartbeat.close();
    }
}
