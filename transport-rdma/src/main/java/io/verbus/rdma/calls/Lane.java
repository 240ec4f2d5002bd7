// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.calls;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Calls that are made in their order, one at a time: what one of them writes, the next ones and the
 * conductor read, once they are told.
 */
public final class Lane {
    record Call(String name, Runnable work, Consumer<RuntimeException> then) {}

    private final Calls all;

    /** Guarded by {@link #all}; the first one is being made, or is the next to be. */
    final ArrayDeque<Call> calls = new ArrayDeque<>();

    Lane(Calls all) {
        this.all = all;
    }

    /**
     * Has a call made after those before it. Any thread.
     *
     * @param name of the call, for people.
     * @param work the call.
     * @param then told, in a later turn of the conductor, null or what the call threw.
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
