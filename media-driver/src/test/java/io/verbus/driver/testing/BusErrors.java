// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.testing;

import io.verbus.DriverLostException;
import io.verbus.DriverTimeoutException;

import org.agrona.ErrorHandler;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The errors that the buses and background threads of a test report, except those that the test
 * causes by ending its driver. {@link #add} and the handlers are thread-safe; the other methods are
 * for the test's thread.
 */
final class BusErrors {
    private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    private final List<Client> clients = new ArrayList<>();

    /** Returns the error handler of a new bus. */
    ErrorHandler handlerOfBus() {
        Client client = new Client(new AtomicInteger(), new AtomicInteger());
        clients.add(client);
        return error -> {
            if (!client.expects(error)) {
                add(error);
            }
        };
    }

    /** Records an error. */
    void add(Throwable error) {
        unexpected.add(error);
    }

    /**
     * Expects each bus to report once that it has lost the driver, and once that no driver has
     * started within the driver timeout, as a bus that reconnects does.
     */
    void expectLoss() {
        for (Client client : clients) {
            client.losses.incrementAndGet();
            client.timeouts.incrementAndGet();
        }
    }

    /** Returns the errors that the test has not caused by ending the driver. */
    Iterable<Throwable> unexpected() {
        return unexpected;
    }

    /** Forgets all errors and buses. */
    void clear() {
        unexpected.clear();
        clients.clear();
    }

    /** How many errors of each kind a bus may yet report. */
    private record Client(AtomicInteger losses, AtomicInteger timeouts) {
        boolean expects(Throwable error) {
            return switch (error) {
                case DriverLostException e -> take(losses);
                case DriverTimeoutException e -> take(timeouts);
                default -> false;
            };
        }

        private static boolean take(AtomicInteger expected) {
            return expected.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
        }
    }
}
