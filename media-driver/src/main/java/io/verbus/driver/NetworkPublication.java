// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.channel.ChannelStatus;
import io.verbus.driver.channel.SamePlace;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.legs.CarriedStream;
import io.verbus.driver.legs.Legs;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.PublisherLimit;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.Transport;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * A publication that a transport sends, or several by {@link Legs}, and that spies read in place.
 * The sender's thread tells what was sent and released; the conductor cleans behind that and behind
 * the spies, and ends it. Both raise the limit: the sender when credit comes, the conductor when it
 * was cleaning or a spy that held the limit back.
 */
final class NetworkPublication extends Publication implements CarriedStream {
    /** Where spies hold the limit back, it is raised when it moves by this part of the window. */
    private static final int GAIN_SHIFT = 3;

    private final AtomicCounter senderPosition;
    private final AtomicCounter senderLimit;
    private final AtomicCounter backPressure;
    private final AtomicCounter naks;
    private final AtomicCounter allBackPressure;
    private final DriverCounters.Stream counted;
    private final ChannelStatus status;
    private final Subscribers spies;
    private final Destinations destinations;

    /** What sends it where destinations say where it goes; null where its channel does. */
    private final Legs legs;

    /** What carries it where its channel says where it goes. */
    private Transport transport;

    /** The channel as the transport has it; read by its agents once it has the publication. */
    private ChannelUri carried;

    /** Tells operators what carries it; null where its channel does. */
    private AtomicCounter carrier;

    private final int termLength;
    private final long maxWindow;

    // Conductor's
    private boolean isTransportDone;
    private long limitedAt;
    private long nextLimited;

    // Sender's
    private boolean isReceived;
    private boolean isCarriedBySpies;
    private long carriedTo = -1;

    /** Written by the sender before {@link #released}; read by the conductor after it. */
    private long window;

    /** Written by the sender; read by the conductor. */
    private volatile long released;

    /** Whether messages are accepted. Written by the sender; read by the conductor. */
    private volatile boolean isConnected;

    NetworkPublication(
            ChannelUri channel,
            LogBuffers log,
            PublisherLimit limit,
            AtomicCounter position,
            AtomicCounter senderPosition,
            AtomicCounter senderLimit,
            AtomicCounter backPressure,
            AtomicCounter naks,
            DriverCounters.Stream counted,
            ChannelStatus status,
            DriverConfig config,
            DriverCounters counters,
            EventEncoder events) {
        super(channel, log, limit, position, config);
        this.senderPosition = senderPosition;
        this.senderLimit = senderLimit;
        this.backPressure = backPressure;
        this.naks = naks;
        this.allBackPressure = counters.system(SystemCounter.SENDER_FLOW_CONTROL_LIMITS);
        this.counted = counted;
        this.status = status;
        this.termLength = log.spec().termLength();
        this.maxWindow = 2L * termLength;
        this.released = log.spec().position();
        this.limitedAt = released;
        this.nextLimited = released;
        this.destinations = new Destinations(this, counters);
        this.legs = channel.isManual() ? new Legs(this, termLength) : null;
        this.spies =
                new Subscribers(
                        this,
                        termLength,
                        released,
                        config.untethered().of(channel),
                        counters,
                        events);
        senderPosition.setRelease(released);
        senderLimit.setRelease(released);
    }

    /** What its counters belong to. */
    DriverCounters.Stream counted() {
        return counted;
    }

    @Override
    int channelStatusId() {
        return status.counterId();
    }

    /** What clients are told of the place that it is sent to. */
    ChannelStatus status() {
        return status;
    }

    /**
     * Begins to send it.
     *
     * @param by what carries it from now on.
     * @param as channel that the transport is to have.
     * @param told tells operators what carries it; null where its channel does. Closed with it.
     * @throws BusException if the channel cannot be used here.
     */
    void carry(Transport by, ChannelUri as, AtomicCounter told) {
        carried = as;
        carrier = told;
        by.addPublication(this);
        transport = by;
    }

    /** What sends it where destinations say where it goes; null where its channel does. */
    Legs legs() {
        return legs;
    }

    /** Where it is sent from, for people; null while that is not known, or it is not sent. */
    String localAddress() {
        if (legs != null) {
            return legs.localAddress();
        }
        return isTransportDone ? null : transport.localAddress(this);
    }

    @Override
    public NetworkPublication publication() {
        return this;
    }

    @Override
    public ChannelUri channel() {
        return carried;
    }

    Destinations destinations() {
        return destinations;
    }

    // Sender

    @Override
    public long senderPosition() {
        return senderPosition.getPlain() & -FrameHeader.ALIGNMENT;
    }

    /** How far the log was sent; where no frame begins a client has written to the counter. */
    private long sentTo() {
        return senderPosition.getAcquire() & -FrameHeader.ALIGNMENT;
    }

    @Override
    public long releasedPosition() {
        return released;
    }

    @Override
    public void senderPosition(long position) {
        senderPosition.setRelease(position);
    }

    /** Never goes back behind where spies have carried the stream. */
    @Override
    public void onReleased(long position, long newWindow) {
        long floor = Math.max(position, released);
        long past = Math.min(position + newWindow - floor, maxWindow);
        if (floor != released || past != window) {
            window = Math.max(past, 0);
            released = floor;
            senderLimit.setRelease(floor + window);
            settleLimit();
        }
    }

    /**
     * Raises the limit as far as the log is released, while there is a receiver; pulls it back to
     * what was sent where there is none. Sender and conductor: the one that acts on a state that
     * the other has changed meanwhile finds that, and acts again.
     */
    private void settleLimit() {
        boolean connected;
        do {
            connected = isConnected;
            if (connected) {
                limit().raise(limitAt(spies.positions().release(released), window));
            } else {
                limit().lower(sentTo());
            }
        } while (connected != isConnected);
    }

    @Override
    public void onConnected(boolean connected) {
        isReceived = connected;
        tellConnected();
    }

    private void tellConnected() {
        isConnected = isReceived || isCarriedBySpies;
        if (isConnected) {
            log().metadata().putIntRelease(LogLayout.CONNECTED, 1);
            settleLimit();
        } else {
            settleLimit(); // first: who sees that nobody is connected is refused
            log().metadata().putIntRelease(LogLayout.CONNECTED, 0);
        }
    }

    /**
     * Where only spies read a publication that they connect, it goes on with them: what the
     * furthest has read counts as sent, and a term behind that is kept for receivers that come.
     *
     * @return the amount of work done.
     */
    int followSpies() {
        boolean byThem = !isReceived && finalPosition() == LogLayout.NOT_ENDED && !spies.isEmpty();
        if (byThem != isCarriedBySpies) {
            isCarriedBySpies = byThem;
            carriedTo = -1;
            tellConnected();
        }
        if (!byThem) {
            return 0;
        }
        long position = Math.max(spies.positions().furthest(), senderPosition());
        if (position == carriedTo || position > tail()) {
            return 0;
        }
        carriedTo = position;
        senderPosition.setRelease(position);
        long kept = Math.max(released, position - termLength);
        onReleased(kept, position - kept + termLength / 2);
        return 1;
    }

    @Override
    public boolean goesOnWithoutReceivers() {
        return carried.spiesConnect();
    }

    @Override
    public void onCreditStall() {
        backPressure.incrementRelease();
        allBackPressure.incrementRelease();
    }

    @Override
    public void onNak() {
        naks.incrementRelease();
    }

    // Conductor

    @Override
    public long releasable() {
        return released;
    }

    @Override
    public Subscribers subscribers() {
        return spies;
    }

    /** After its publishers have closed it, others may join while one still reads. */
    @Override
    public boolean serves(Subscription subscription) {
        return (isOpen() || isBeingRead())
                && subscription.channel().isSpy()
                && SamePlace.isSpied(named(), subscription.channel())
                && subscription.matches(null, streamId(), sessionId());
    }

    private boolean isBeingRead() {
        return !isRevoked() && spies.isStillReadBefore(tail()) && sentTo() < tail();
    }

    /** By how far the log was sent; without receivers there is no window, and nothing is sent. */
    @Override
    public long untetheredLimit() {
        long limited = released; // before the window, which is written before
        long granted = window;
        return Subscribable.untetheredLimit(
                Math.max(sentTo(), limited), granted > 0 ? granted : termLength / 2);
    }

    /** The stream goes on without spies. */
    @Override
    public boolean waitsForReaders() {
        return false;
    }

    /** Joins where the log was sent to: nothing from there on is reused. */
    @Override
    public void attach(Subscription subscription) {
        spies.add(subscription, this::sentTo);
    }

    @Override
    int update() {
        long position = released;
        int work = spies.endImpossible();
        long consumed = spies.positions().release(position);
        work += clean(consumed);
        if (work > 0 || position != limitedAt || consumed >= nextLimited) {
            // The sender may have computed its limit from what was cleaned before.
            settleLimit();
            limitedAt = position;
            nextLimited = consumed + (window >> GAIN_SHIFT) + 1;
        }
        if (finalPosition() != LogLayout.NOT_ENDED) {
            work += spies.drain(finalPosition(), "end of stream");
        }
        return work;
    }

    @Override
    long furthestPosition() {
        return sentTo();
    }

    @Override
    void skipUnread() {
        // The transport's to decide.
    }

    @Override
    void onFailed(String reason) {
        spies.endAll(reason);
    }

    @Override
    void onEnded(long position) {
        if (legs == null) {
            transport.closePublication(this);
        } else {
            legs.end();
        }
    }

    @Override
    public void onTransportDone() {
        isTransportDone = true;
    }

    @Override
    boolean isReleased() {
        return (legs == null ? isTransportDone : legs.isDone()) && spies.isDeserted();
    }

    /** When all is sent and read, and each receiver has left. */
    @Override
    boolean isFinished() {
        return isReleased()
                || finalPosition() != LogLayout.NOT_ENDED
                        && sentTo() >= finalPosition()
                        && !isConnected
                        && spies.isDeserted();
    }

    @Override
    void close() {
        super.close();
        senderPosition.close();
        senderLimit.close();
        backPressure.close();
        naks.close();
        if (legs != null) {
            legs.close();
        }
        if (carrier != null) {
            carrier.close();
        }
    }
}
