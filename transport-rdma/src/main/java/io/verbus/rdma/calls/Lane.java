// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.calls;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * A sequence of calls that run in order, one at a time. Later calls, and the conductor once
 * notified, see what earlier calls wrote.
 */
public final class Lane {
    record Call(String name, Runnable work, Consumer<RuntimeException> then) {}

    private final Calls all;

    /** Guarded by {@link #all}; the first call is running or is the next to run. */
    final ArrayDeque<Call> calls = new ArrayDeque<>();

    Lane(Calls all) {
        this.all = all;
    }

    /**
     * Adds a call after the earlier ones. Thread-safe.
     *
     * @param name description of the call for messages.
     * @param work work to run.
     * @param then called in a later turn of the conductor with the exception that the work threw,
     *     or null.
     */
    public void call(String name, Runnable work, Consumer<RuntimeException> then) {
        all.add(this, new Call(name, work, then));
    }

    Call first() {
        synchronized (all) {
            return calls.element();
        }
    }
}
