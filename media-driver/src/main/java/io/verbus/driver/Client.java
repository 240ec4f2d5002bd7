// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * A client and what it has registered. It stores the time in its counter to say that it lives.
 * Conductor's thread.
 */
final class Client {
    /**
     * A client's hold on a publication.
     *
     * @param registrationId correlation id of the command that added it.
     * @param publication that may be shared with others.
     */
    record Hold(long registrationId, Publication publication) {}

    private final long id;
    private final AtomicCounter heartbeat;
    private final List<Hold> publications = new ArrayList<>();
    private final List<Subscription> subscriptions = new ArrayList<>();
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

    List<Hold> publications() {
        return publications;
    }

    List<Subscription> subscriptions() {
        return subscriptions;
    }

    /** A publication that the client holds; null if it has none of that id. */
    Publication publication(long registrationId) {
        for (Hold hold : publications) {
            if (hold.registrationId() == registrationId) {
                return hold.publication();
            }
        }
        return null;
    }

    /** Lets go of a publication; null if the client has none of that id. */
    Publication removePublication(long registrationId) {
        for (int i = 0; i < publications.size(); i++) {
            if (publications.get(i).registrationId() == registrationId) {
                return publications.remove(i).publication();
            }
        }
        return null;
    }

    /** A subscription of the client; null if it has none of that id. */
    Subscription subscription(long registrationId) {
        for (Subscription subscription : subscriptions) {
            if (subscription.registrationId() == registrationId) {
                return subscription;
            }
        }
        return null;
    }

    /** Lets go of a subscription; null if the client has none of that id. */
    Subscription removeSubscription(long registrationId) {
        for (int i = 0; i < subscriptions.size(); i++) {
            if (subscriptions.get(i).registrationId() == registrationId) {
                return subscriptions.remove(i);
            }
        }
        return null;
    }

    void free() {
        heartbeat.close();
    }
}
