// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;
import io.verbus.cnc.RegistrationState;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * Shows operators the state of a publication or subscription, and why it is not connected, in one
 * counter per client registration. Used by the conductor's thread.
 */
public final class ShownState implements AutoCloseable {
    private record Shown(long registrationId, AtomicCounter counter, String label, String media) {}

    private final DriverCounters counters;
    private final List<Shown> all = new ArrayList<>();
    private RegistrationState state = RegistrationState.WAITING;
    private String reason = "";
    private String claim = "";
    private int images;

    /** Creates the state of a publication or subscription that is not connected yet. */
    public ShownState(DriverCounters counters) {
        this.counters = counters;
    }

    /**
     * Adds a client's registration.
     *
     * @param typeId type of the counter.
     * @param name start of the counter's label, without a space.
     * @param of registration, its client, and its stream.
     * @param streamId registration id of the stream that several registrations may share.
     * @param media media of the transport.
     * @throws BusException if there is no counter left.
     */
    public void add(
            int typeId, String name, DriverCounters.Stream of, long streamId, String media) {
        AtomicCounter counter = counters.registration(typeId, name, of, streamId);
        Shown shown = new Shown(of.registrationId(), counter, counter.label(), media);
        all.add(shown);
        show(shown);
    }

    /** Removes a registration that its client has released. */
    public void remove(long registrationId) {
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).registrationId == registrationId) {
                all.remove(i).counter.close();
            }
        }
    }

    /**
     * Shows whether the publication or subscription is connected. Once connected, clears the reason
     * why it was not. Writes nothing unless the state has changed.
     */
    public void connected(boolean isConnected) {
        RegistrationState now = state;
        if (isConnected) {
            now = RegistrationState.CONNECTED;
        } else if (state == RegistrationState.CONNECTED) {
            now = RegistrationState.LEFT;
        }
        if (now != state) {
            state = now;
            if (isConnected) {
                reason = "";
            }
            show();
        }
    }

    /**
     * Shows why the publication or subscription is not connected, or is about to be disconnected.
     *
     * @param why sentence with cause and remedy.
     */
    public void because(String why) {
        if (!why.equals(reason)) {
            reason = why;
            show();
        }
    }

    /**
     * Shows that an open claim holds a connected publication back, or no longer does.
     *
     * @param why sentence that begins with {@link RegistrationState#OPEN_CLAIM}; empty for none.
     */
    public void openClaim(String why) {
        if (!why.equals(claim)) {
            claim = why;
            show();
        }
    }

    /** Counts a new image of a subscription. */
    public void joined() {
        images++;
        connected(true);
    }

    /**
     * Counts the end of an image of a subscription.
     *
     * @param why sentence that names the image and why it has ended.
     */
    public void left(String why) {
        images--;
        if (images == 0) {
            connected(false);
            because(why);
        }
    }

    private void show() {
        for (int i = 0; i < all.size(); i++) {
            show(all.get(i));
        }
    }

    private void show(Shown shown) {
        boolean isOpen = state == RegistrationState.CONNECTED && !claim.isEmpty();
        String why = isOpen ? claim : reason;
        counters.label(shown.counter, RegistrationState.label(shown.label, shown.media, why));
        shown.counter.setRelease(state.ordinal());
    }

    /** Frees the counters. */
    @Override
    public void close() {
        all.forEach(shown -> shown.counter.close());
        all.clear();
    }
}
