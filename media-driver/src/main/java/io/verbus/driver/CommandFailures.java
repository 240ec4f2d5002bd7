// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.InvalidChannelException;
import io.verbus.channel.UnsupportedChannelException;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.ChannelFailure;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareException;
import io.verbus.driver.status.DriverCounters;
import io.verbus.transport.CauserErrorLog;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Tells clients of commands that failed, and operators of what clients do wrong: once of each kind
 * and client, whatever numbers and channels the commands have. Conductor's thread.
 */
final class CommandFailures {
    /** Clients that operators are told of, of each kind. */
    private static final int MAX_CLIENTS = 128;

    /** What clients do wrong, besides that they want more than their {@link Share}. */
    enum Kind {
        UNKNOWN_TYPE,
        MALFORMED,
        TAKEN_ID,
        NO_SPACE,
        NO_RESOURCES,
        JOINS_LATE,
        TOO_FAST,
        DAMAGED_LOG
    }

    private final EventEncoder events;
    private final ErrorHandler errors;
    private final CauserErrorLog clientErrors;
    private final AtomicCounter failed;

    CommandFailures(EventEncoder events, DriverCounters counters, ErrorHandler errors) {
        this.events = events;
        this.errors = errors;
        this.clientErrors = new CauserErrorLog(errors, MAX_CLIENTS, "clients", BusException::new);
        this.failed = counters.system(SystemCounter.COMMANDS_FAILED);
    }

    /** Tells the client; what is not its own doing also goes to the error log. */
    void tell(long clientId, long correlationId, RuntimeException e) {
        failed.incrementRelease();
        RuntimeException cause = (RuntimeException) ChannelFailure.cause(e);
        ErrorCode code = code(cause);
        String message = e instanceof BusException ? e.getMessage() : e.toString();
        events.error(correlationId, code, message);
        if (!(cause instanceof BusException)) {
            errors.onError(e);
        } else if (cause instanceof ShareException share) {
            record(share.share(), clientId, message);
        } else if (cause.getCause() instanceof ShareException share) {
            record(share.share(), clientId, message);
        } else if (code == ErrorCode.STORAGE_SPACE) {
            record(Kind.NO_SPACE, clientId, message);
        } else if (code == ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE) {
            record(Kind.NO_RESOURCES, clientId, message);
        }
    }

    private static ErrorCode code(RuntimeException e) {
        return switch (e) {
            case CommandException command -> command.code();
            case InvalidChannelException channel -> ErrorCode.INVALID_CHANNEL;
            case UnsupportedChannelException channel -> ErrorCode.NOT_SUPPORTED;
            case ShareException share when share.share() == Share.LOG_BYTES ->
                    ErrorCode.STORAGE_SPACE;
            case ShareException share -> ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE;
            default -> ErrorCode.GENERIC_ERROR;
        };
    }

    /** Tells operators what a client has caused, unless they were told of the same. */
    void record(Enum<?> kind, long clientId, String message) {
        clientErrors.record(kind, Long.toString(clientId), message);
    }

    /** A command is not answered, since too many of its client wait. */
    void drop(long clientId) {
        failed.incrementRelease();
        record(
                Kind.TOO_FAST,
                clientId,
                "client "
                        + clientId
                        + " sends commands faster than all clients can read the answers: those that"
                        + " are too many are dropped without an answer; have it wait for answers,"
                        + " or raise to-clients-length");
    }

    /** A command is not answered, since the answer would reach another client. */
    void refuseTakenId(long clientId, long correlationId) {
        failed.incrementRelease();
        record(
                Kind.TAKEN_ID,
                clientId,
                "client "
                        + clientId
                        + " has sent a command with the correlation id "
                        + correlationId
                        + ", which is in use by another client: the command is dropped without an"
                        + " answer; take each id from the driver's command buffer");
    }
}
