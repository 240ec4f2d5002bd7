// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.BusException;
import io.verbus.DriverLostException;
import io.verbus.cnc.ClientHeartbeat;

import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.broadcast.CopyBroadcastReceiver;

/**
 * What a client is to one driver: an id, commands, events and a sign of life. A client that goes
 * over to another driver has a new one. The client conductor's thread, but for what says another.
 */
public final class Attachment {
    /** Ids that threads may still take of the driver before, once its successor is asked. */
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
     * The first one of a client.
     *
     * @param driver that lives; closed on failure.
     * @param clientName for people; empty for none.
     * @throws BusException if the driver's files do not let the client in.
     */
    public static Attachment first(DriverConnection driver, String clientName) {
        return new Attachment(driver, clientName, 0, false);
    }

    /**
     * The next one of the same client, whose ids are all greater than those of this one.
     *
     * @param next driver, or the same one again; closed on failure.
     * @param clientName for people; empty for none.
     * @throws BusException if the driver's files do not let the client in.
     */
    public Attachment next(DriverConnection next, String clientName) {
        long last = driver.toDriver().nextCorrelationId() + IDS_BETWEEN;
        next.skipIdsTo(last);
        return new Attachment(next, clientName, last + 1, driver.isToSame(next));
    }

    /**
     * Whether the driver is the one that the client has lost: it may hold for some time what the
     * client had.
     */
    public boolean isToSame() {
        return isToSame;
    }

    /** Whether an id was given by this driver, and not by one before. Any thread. */
    public boolean isOwn(long id) {
        return id >= firstId;
    }

    /** The driver's files. Any thread. */
    public DriverConnection driver() {
        return driver;
    }

    /** Commands; the ids are for any thread. */
    public CommandEncoder commands() {
        return commands;
    }

    /** Takes an event, if there is one; returns how many were taken. */
    public int receive(MessageHandler handler) {
        return events.receive(handler);
    }

    /**
     * Gives a sign of life, and looks for the driver's.
     *
     * @return why the driver is of no more use to the client; null if it is.
     */
    public DriverLostException beat() {
        return heartbeat.beat(System.currentTimeMillis()) ? driver.failure() : givenUp();
    }

    /** The driver has said that the client is none of its clients any more. */
    public static DriverLostException givenUp() {
        return new DriverLostException(
                "the media driver has heard nothing of this client for too long and has released"
                        + " all it had: connect again, and run the client conductor more often or"
                        + " raise the driver's client liveness timeout");
    }
}
