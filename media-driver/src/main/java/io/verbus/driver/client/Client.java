// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * A client. It writes the time to its heartbeat counter. If the client sends a keepalive command,
 * the driver writes the time on its behalf. Used by the conductor's thread only.
 */
final class Client {
    private final long id;
    private final AtomicCounter heartbeat;
    private long lastSeenNs;
    private long lastHeartbeat;

    Client(long id, AtomicCounter heartbeat, long nowNs) {
        this.id = id;
        this.heartbeat = heartbeat;
        this.lastSeenNs = nowNs;
        this.lastHeartbeat = heartbeat.get();
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

    void free() {
        heartbeat.close();
    }
}
