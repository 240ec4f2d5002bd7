// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/** A client and what it has registered. Conductor's thread. */
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

    Client(long id, AtomicCounter heartbeat, long nowNs) {
        this.id = id;
        this.heartbeat = heartbeat;
        this.lastSeenNs = nowNs;
    }

    long id() {
        return id;
    }

    void onSeen(long nowNs, long nowMs) {
        lastSeenNs = nowNs;
        heartbeat.setRelease(nowMs);
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
