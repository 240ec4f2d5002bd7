// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.Publication;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;

/** Offers the messages of a script in order. For one thread. */
final class Writer {
    private final Publication publication;
    private final Script script;
    private final IdleStrategy idle = new BackoffIdleStrategy();
    private long next;
    private long notConnected;
    private long backPressured;

    Writer(Publication publication, Script script) {
        this.publication = publication;
        this.script = script;
    }

    /**
     * Offers the next message once.
     *
     * @return the publication's result.
     */
    long offer() {
        long result =
                publication.offer(script.text(), script.offset(next), script.length(next), next);
        if (result > 0) {
            next++;
        } else if (result == Publication.NOT_CONNECTED) {
            notConnected++;
        } else if (result == Publication.BACK_PRESSURED) {
            backPressured++;
        } else if (result != Publication.ADMIN_ACTION) {
            throw new AssertionError("offer of message " + next + " gave " + result);
        }
        return result;
    }

    /** Offers until the given number of messages was accepted since the first. */
    Writer write(long messages) {
        long patienceNs = TimeUnit.MINUTES.toNanos(2);
        long lastNs = System.nanoTime();
        while (next < messages) {
            long result = offer();
            if (result > 0) {
                idle.reset();
                lastNs = System.nanoTime();
            } else if (result != Publication.ADMIN_ACTION) {
                if (System.nanoTime() - lastNs > patienceNs) {
                    throw new AssertionError(
                            "message "
                                    + next
                                    + " was not accepted ("
                                    + result
                                    + "): "
                                    + publication);
                }
                idle.idle();
            }
        }
        return this;
    }

    /** Number of accepted messages. */
    long next() {
        return next;
    }

    /** Number of times without a connected subscriber. */
    long notConnected() {
        return notConnected;
    }

    /** Number of times under back pressure. */
    long backPressured() {
        return backPressured;
    }
}
