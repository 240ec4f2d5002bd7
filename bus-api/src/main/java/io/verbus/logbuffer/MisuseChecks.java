// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Checks that an object that is not thread-safe is used by one thread at a time. Intended for
 * debugging, and enabled by the system property {@code verbus.checks}. If the property is not set,
 * the JIT compiler removes the calls. Thread-safe.
 */
public final class MisuseChecks {
    /** Whether to check for misuse; set by the system property {@code verbus.checks}. */
    public static final boolean ON = Boolean.getBoolean("verbus.checks");

    private final AtomicReference<Thread> user = new AtomicReference<>();

    /** Creates the checks for one object. */
    public MisuseChecks() {}

    /** Returns whether the calling thread is in {@link #alone}. */
    public boolean isUser() {
        return user.get() == Thread.currentThread();
    }

    /**
     * Runs a call, and checks that no other thread calls the object in the meantime.
     *
     * @param object object that is called, for the message.
     * @param call call to run.
     * @return result of the call.
     * @throws MisuseException if another thread is making a call.
     */
    public long alone(Object object, LongSupplier call) {
        enter(object);
        try {
            return call.getAsLong();
        } finally {
            leave();
        }
    }

    /**
     * Begins a call; see {@link #alone}.
     *
     * @throws MisuseException if any thread, including this one, is already making a call.
     */
    void enter(Object object) {
        Thread current = Thread.currentThread();
        Thread other = user.compareAndExchange(null, current);
        if (other == current) {
            throw new MisuseException(
                    "a handler called by "
                            + object
                            + " must not poll it again: return from the handler first");
        }
        if (other != null) {
            throw new MisuseException(
                    "threads "
                            + other.getName()
                            + " and "
                            + current.getName()
                            + " use "
                            + object
                            + " at the same time: use it from one thread at a time");
        }
    }

    void leave() {
        user.set(null);
    }
}
