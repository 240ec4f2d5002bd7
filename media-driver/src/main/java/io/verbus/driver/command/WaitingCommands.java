// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.codecs.control.ErrorCode;

import org.agrona.collections.LongHashSet;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Commands that wait for what takes a while: a name that is looked up, a transport that is
 * prepared, or the log of the publication that they name. All others go ahead of them. Conductor's
 * thread.
 */
public final class WaitingCommands {
    /** More than clients have any use for: what they ask for must not use up the memory. */
    private static final int CAPACITY = 4096;

    private record Waiting(
            long clientId,
            long correlationId,
            long registrationId,
            BooleanSupplier isReady,
            Runnable command) {}

    /** Where a failure is told. */
    public interface Failures {
        /** A command has failed. */
        void tell(long correlationId, RuntimeException failure);
    }

    private final Failures failures;
    private final List<Waiting> all = new ArrayList<>();

    public WaitingCommands(Failures failures) {
        this.failures = failures;
    }

    /**
     * Has a command wait, until it is ready and none before it waits that is about the same.
     *
     * @param registrationId that the command is about.
     * @param isReady looked at once a cycle.
     * @param command that is run then; what it throws is told to the client.
     * @throws CommandException if too many wait.
     */
    public void add(
            long clientId,
            long correlationId,
            long registrationId,
            BooleanSupplier isReady,
            Runnable command) {
        if (all.size() == CAPACITY) {
            throw new CommandException(
                    ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE,
                    CAPACITY
                            + " commands wait for name servers and logs already: see that names can"
                            + " be resolved, and try again");
        }
        all.add(new Waiting(clientId, correlationId, registrationId, isReady, command));
    }

    /** Whether a command about this registration waits. */
    public boolean isAnyAbout(long registrationId) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).registrationId == registrationId) {
                return true;
            }
        }
        return false;
    }

    /** The commands of a client that has gone are not run. */
    public void drop(long clientId) {
        all.removeIf(waiting -> waiting.clientId == clientId);
    }

    /**
     * Runs those that are ready, in the order in which they came.
     *
     * @return how many.
     */
    public int run() {
        if (all.isEmpty()) {
            return 0;
        }
        List<Waiting> ready = new ArrayList<>();
        LongHashSet others = new LongHashSet();
        for (Iterator<Waiting> each = all.iterator(); each.hasNext(); ) {
            Waiting waiting = each.next();
            if (!others.contains(waiting.registrationId) && waiting.isReady.getAsBoolean()) {
                each.remove();
                ready.add(waiting);
            }
            others.add(waiting.registrationId); // also where it runs now: at most one at a time
        }
        for (Waiting waiting : ready) {
            try {
                waiting.command.run();
            } catch (RuntimeException e) {
                failures.tell(waiting.correlationId, e);
            }
        }
        return ready.size();
    }
}
