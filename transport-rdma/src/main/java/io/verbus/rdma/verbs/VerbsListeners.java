// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.calls.Calls;
import io.verbus.rdma.calls.Lane;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricHandler;

import org.agrona.ErrorHandler;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The listeners of a fabric, from {@link #add} until their ids are destroyed. A listener begins
 * once all closed listeners at its address are destroyed. Used by the conductor's thread.
 */
final class VerbsListeners {
    /** Maximum number of concurrent calls, so that listeners leave threads for connections. */
    private static final int MAX_CALLS = 64;

    private final ConnectionManager manager;
    private final Calls calls;
    private final ErrorHandler errors;

    /**
     * Listeners waiting for other listeners to be destroyed, in the order in which they were added.
     */
    private final List<VerbsListener> waiting = new ArrayList<>();

    /** Listeners that have begun and are neither closed nor lost. */
    private final Set<VerbsListener> begun = new LinkedHashSet<>();

    /** Listeners whose device was removed, until it returns. */
    private final List<VerbsListener> lost = new ArrayList<>();

    /** Closed listeners whose ids are not destroyed yet. */
    private final Set<VerbsListener> ending = new LinkedHashSet<>();

    /** Calls that wait until other calls return. */
    private final ArrayDeque<Runnable> queued = new ArrayDeque<>();

    private int running;
    private FabricHandler handler;

    VerbsListeners(ConnectionManager manager, Calls calls, ErrorHandler errors) {
        this.manager = manager;
        this.calls = calls;
        this.errors = errors;
    }

    /** Starts listening at an address. */
    VerbsListener add(InetSocketAddress address, ConnectionOptions options) {
        VerbsListener listener = new VerbsListener(this, manager, calls.lane(), address, options);
        waiting.add(listener);
        beginWaiting();
        return listener;
    }

    private void beginWaiting() {
        for (VerbsListener each : List.copyOf(waiting)) {
            if (ending.stream().noneMatch(each::excludes)) {
                waiting.remove(each);
                begun.add(each);
                each.begin();
            }
        }
    }

    /** Runs a call on a listener's lane once fewer than the maximum number of calls are running. */
    void call(Lane lane, String name, Runnable work, Consumer<RuntimeException> then) {
        Runnable call =
                () -> {
                    running++;
                    lane.call(name, work, failure -> onReturned(then, failure));
                };
        if (running < MAX_CALLS) {
            call.run();
        } else {
            queued.add(call);
        }
    }

    private void onReturned(Consumer<RuntimeException> then, RuntimeException failure) {
        running--;
        Runnable next = queued.poll();
        if (next != null) {
            next.run();
        }
        then.accept(failure);
    }

    /** Called when a listener has started listening. */
    void onListening(VerbsListener listener) {
        begun.add(listener);
    }

    /** Called when a listener cannot listen and its id has been destroyed. */
    void onRefused(VerbsListener listener) {
        begun.remove(listener);
    }

    /** Handles the close of a listener; returns whether its id must be destroyed. */
    boolean onClosing(VerbsListener listener) {
        if (waiting.remove(listener)) {
            return false;
        }
        begun.remove(listener);
        if (lost.remove(listener)) {
            handler.onLostListenerClosed();
        }
        ending.add(listener);
        return true;
    }

    void onDestroyed(VerbsListener listener, RuntimeException failure) {
        ending.remove(listener);
        tellFailure(failure);
        beginWaiting();
    }

    void tellFailure(RuntimeException failure) {
        if (failure != null) {
            errors.onError(failure);
        }
    }

    /**
     * Handles the loss of a listener's device or address: the listener listens again once the
     * device is back.
     *
     * @param type type of the event.
     * @param told handler to notify of the loss and of the recovery.
     */
    void onEvent(VerbsListener listener, int type, FabricHandler told) {
        String reason =
                switch (type) {
                    case VerbsAbi.RDMA_CM_EVENT_DEVICE_REMOVAL -> "its RDMA device was removed";
                    case VerbsAbi.RDMA_CM_EVENT_ADDR_CHANGE ->
                            "its address moved to another port, for example because a bond failed"
                                    + " over";
                    default -> null;
                };
        if (reason != null && !listener.isClosed()) {
            listener.onListening(); // the event may overtake the result of the call
            if (begun.remove(listener)) {
                handler = told;
                lost.add(listener);
                listener.lose();
                told.onListenerLost(listener, reason);
            }
        }
    }

    /** Makes each lost listener try to listen again. */
    void listenAgain(long nowNs) {
        for (int i = 0; i < lost.size(); i++) {
            lost.get(i).tryAgain(nowNs);
        }
    }

    /** Handles the recovery of a lost listener. */
    void onBack(VerbsListener listener) {
        lost.remove(listener);
        begun.add(listener);
        handler.onListenerBack(listener);
    }

    /** Closes all listeners when the fabric closes, which then waits for all calls. */
    void close() {
        List<VerbsListener> all = new ArrayList<>(waiting);
        all.addAll(begun);
        all.addAll(lost);
        lost.clear();
        all.forEach(VerbsListener::close);
        queued.forEach(Runnable::run);
        queued.clear();
    }
}
