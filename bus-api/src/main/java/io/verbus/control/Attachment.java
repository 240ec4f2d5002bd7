// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.BusException;
import io.verbus.DriverLostException;
import io.verbus.cnc.ClientHeartbeat;

import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.broadcast.CopyBroadcastReceiver;

/**
 * A client's attachment to one driver: its id, commands, events and heartbeat. A client that moves
 * to another driver gets a new attachment. Used by the client conductor's thread only, except where
 * noted.
 */
public final class Attachment {
    /**
     * Number of ids that threads may still take from the previous driver while the client moves to
     * the next one.
     */
    private static final long IDS_BETWEEN = 1 << 20;

    private final DriverConnection driver;
    private final CommandEncoder commands;
    private final CopyBroadcastReceiver events;
    private final ClientHeartbeat heartbeat;
    private final long firstId;
    private final boolean isToSame;

    private Attachment(DriverConnection driver, String clientName, long firstId, boolean isToSame) {
        this.driver = driver;
        this.isToSame = isToSame;
        this.firstId = firstId;
        commands = new CommandEncoder(driver.toDriver());
        driver.hold(commands.clientId());
        heartbeat = new ClientHeartbeat(driver.counters(), commands.clientId(), clientName);
        events = new CopyBroadcastReceiver(driver.toClients(), new ExpandableArrayBuffer());
    }

    /**
     * Attaches a client to its first driver.
     *
     * @param driver live driver; closed on failure.
     * @param clientName human-readable name of the client; empty for none.
     * @throws BusException if the driver's files do not admit the client.
     */
    public static Attachment first(DriverConnection driver, String clientName) {
        return new Attachment(driver, clientName, 0, false);
    }

    /**
     * Attaches the same client to the next driver, where all its ids are greater than those so far.
     *
     * @param next next driver, or the same one again; closed on failure.
     * @param clientName human-readable name of the client; empty for none.
     * @throws BusException if the driver's files do not admit the client.
     */
    public Attachment next(DriverConnection next, String clientName) {
        long last = driver.toDriver().nextCorrelationId() + IDS_BETWEEN;
        next.skipIdsTo(last);
        return new Attachment(next, clientName, last + 1, driver.isToSame(next));
    }

    /**
     * Returns whether the driver is the one that the client has lost, which may still hold the
     * client's previous resources for a while.
     */
    public boolean isToSame() {
        return isToSame;
    }

    /** Returns whether an id was assigned by this driver, not by a previous one. Thread-safe. */
    public boolean isOwn(long id) {
        return id >= firstId;
    }

    /** Returns the connection to the driver's files. Thread-safe. */
    public DriverConnection driver() {
        return driver;
    }

    /** Returns the encoder of commands. Any thread may take ids from it. */
    public CommandEncoder commands() {
        return commands;
    }

    /** Receives an event, if there is one; returns the number received. */
    public int receive(MessageHandler handler) {
        return events.receive(handler);
    }

    /**
     * Sends a heartbeat and checks the driver's.
     *
     * @return why the driver is lost to the client, or null if it is not.
     */
    public DriverLostException beat() {
        return heartbeat.beat(System.currentTimeMillis()) ? driver.failure() : givenUp();
    }

    /** Returns the reason for the loss of a driver that has timed out this client. */
    public static DriverLostException givenUp() {
        return new DriverLostException(
                "the media driver received no keep-alive from this client for too long and released"
                    + " the client's resources: connect again, and run the client conductor more"
                    + " often or raise the driver's client-liveness-timeout");
    }
}
