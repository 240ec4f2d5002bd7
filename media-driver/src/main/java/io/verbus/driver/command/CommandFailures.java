// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.BusException;
import io.verbus.channel.InvalidChannelException;
import io.verbus.channel.UnsupportedChannelException;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareException;
import io.verbus.driver.status.CountersExhaustedException;
import io.verbus.driver.status.DriverCounters;
import io.verbus.transport.CauserErrorLog;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Reports failed commands to clients, and clients' mistakes to operators. Operators see each kind
 * of mistake once per client, however often the client makes it. Used by the conductor's thread.
 */
public final class CommandFailures {
    /** Maximum number of clients whose mistakes are reported to operators, per kind of mistake. */
    private static final int MAX_CLIENTS = 128;

    /** Kinds of client mistakes, besides exceeding a {@link Share}. */
    public enum Kind {
        UNKNOWN_TYPE,
        MALFORMED,
        TAKEN_ID,
        NO_SPACE,
        NO_RESOURCES,
        JOINS_LATE,
        TOO_FAST,
        OPEN_CLAIM,
        DAMAGED_LOG
    }

    private final EventEncoder events;
    private final ErrorHandler errors;
    private final CauserErrorLog clientErrors;
    private final AtomicCounter failed;
    private final AtomicCounter errorCount;

    public CommandFailures(EventEncoder events, DriverCounters counters, ErrorHandler errors) {
        this.events = events;
        this.errors = errors;
        this.clientErrors = new CauserErrorLog(errors, MAX_CLIENTS, "clients", BusException::new);
        this.failed = counters.system(SystemCounter.COMMANDS_FAILED);
        this.errorCount = counters.system(SystemCounter.ERRORS);
    }

    /**
     * Sends the error to the client. Unexpected errors, and errors that operators should see, also
     * go to the error log. Every error increments the error counter, as in Aeron.
     */
    public void tell(long clientId, long correlationId, RuntimeException e) {
        failed.incrementRelease();
        RuntimeException cause = (RuntimeException) ChannelFailure.cause(e);
        ErrorCode code = code(cause);
        String message = e instanceof BusException ? e.getMessage() : e.toString();
        events.error(correlationId, code, message);
        if (!(cause instanceof BusException)) {
            errors.onError(e);
            return;
        }
        Enum<?> kind = kind(cause, code);
        if (kind == null || !record(kind, clientId, message)) {
            errorCount.increment();
        }
    }

    /**
     * Returns the kind of error to report to operators, or null if the error concerns only the
     * client.
     */
    private static Enum<?> kind(RuntimeException cause, ErrorCode code) {
        if (cause instanceof ShareException share) {
            return share.share();
        }
        return switch (code) {
            case STORAGE_SPACE -> Kind.NO_SPACE;
            case RESOURCE_TEMPORARILY_UNAVAILABLE -> Kind.NO_RESOURCES;
            default -> null;
        };
    }

    private static ErrorCode code(RuntimeException e) {
        return switch (e) {
            case CommandException command -> command.code();
            case InvalidChannelException channel -> ErrorCode.INVALID_CHANNEL;
            case UnsupportedChannelException channel -> ErrorCode.NOT_SUPPORTED;
            case ShareException share when share.share() == Share.LOG_BYTES ->
                    ErrorCode.STORAGE_SPACE;
            case ShareException share -> ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE;
            case CountersExhaustedException counters -> ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE;
            default -> ErrorCode.GENERIC_ERROR;
        };
    }

    /**
     * Records an error that a client caused, unless an error of the same kind is already recorded
     * for the client. Returns whether the error was recorded.
     */
    public boolean record(Enum<?> kind, long clientId, String message) {
        return clientErrors.record(kind, Long.toString(clientId), message);
    }

    /**
     * Drops a command without answering it, because too many commands from the same client are
     * waiting.
     */
    public void drop(long clientId) {
        failed.incrementRelease();
        record(
                Kind.TOO_FAST,
                clientId,
                "client "
                        + clientId
                        + " sends commands faster than all clients can read the answers: the "
                        + "driver drops excess commands without an answer; make the "
                        + "client wait for answers");
    }

    /**
     * Drops a command without answering it, because another client would take the answer for its
     * own.
     */
    public void refuseTakenId(long clientId, long correlationId) {
        failed.incrementRelease();
        record(
                Kind.TAKEN_ID,
                clientId,
                "client "
                        + clientId
                        + " sent a command with the correlation id "
                        + correlationId
                        + ", which another client uses: the driver drops the command without an"
                        + " answer; take each id from the driver's command buffer");
    }
}
