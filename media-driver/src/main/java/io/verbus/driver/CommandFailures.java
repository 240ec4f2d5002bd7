// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.InvalidChannelException;
import io.verbus.channel.UnsupportedChannelException;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.ChannelFailure;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.status.DriverCounters;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

/** Tells clients of commands that failed. Conductor's thread. */
final class CommandFailures {
    private final EventEncoder events;
    private final ErrorHandler errors;
    private final AtomicCounter failed;

    CommandFailures(EventEncoder events, DriverCounters counters, ErrorHandler errors) {
        this.events = events;
        this.errors = errors;
        this.failed = counters.system(SystemCounter.COMMANDS_FAILED);
    }

    /** Tells the client; what is not its own doing also goes to the error log. */
    void tell(long correlationId, RuntimeException e) {
        failed.incrementRelease();
        ErrorCode code =
                switch (ChannelFailure.cause(e)) {
                    case CommandException command -> command.code();
                    case InvalidChannelException channel -> ErrorCode.INVALID_CHANNEL;
                    case UnsupportedChannelException channel -> ErrorCode.NOT_SUPPORTED;
                    default -> ErrorCode.GENERIC_ERROR;
                };
        String message = e instanceof BusException ? e.getMessage() : e.toString();
        events.error(correlationId, code, message);
        boolean isOurs =
                code == ErrorCode.STORAGE_SPACE
                        || code == ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE;
        if (isOurs || !(ChannelFailure.cause(e) instanceof BusException)) {
            errors.onError(e);
        }
    }
}
