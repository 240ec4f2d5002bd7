// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import java.util.concurrent.CompletableFuture;

/**
 * An endpoint that a transport opens for a command, and the rest of the command. Used by the
 * conductor's thread.
 *
 * @param opened result of the transport.
 * @param then completes the command.
 * @param abandon closes the endpoint, if it cannot be opened or its client has left.
 */
public record Opening(CompletableFuture<Void> opened, Runnable then, Runnable abandon) {
    /** No endpoint is opened: the command is complete. */
    public static final Opening NONE =
            new Opening(CompletableFuture.completedFuture(null), () -> {}, () -> {});

    /** Returns whether {@link #end} can be called. */
    public boolean isDone() {
        return opened.isDone();
    }

    /**
     * Completes the command.
     *
     * @throws io.verbus.BusException if the endpoint cannot be opened, or the command fails.
     */
    public void end() {
        if (opened.isCompletedExceptionally()) {
            abandon.run();
            throw (RuntimeException) opened.exceptionNow();
        }
        then.run();
    }
}
