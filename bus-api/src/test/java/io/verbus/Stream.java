// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.control.DestinationChange;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.TestLogs;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.agrona.concurrent.status.UnsafeBufferPosition;

import java.util.ArrayList;
import java.util.List;

/** A log with a publication at one end and images at the other, without a driver in between. */
final class Stream implements AutoCloseable {
    static final int TERM_LENGTH = 64 * 1024;
    static final int MTU = 1024;
    private static final ChannelStatus STATUS = new ChannelStatus(null, -1);

    final LogBuffers log = TestLogs.create(TERM_LENGTH, MTU);
    final List<Throwable> errors = new ArrayList<>();
    final List<InvalidFrameException> faults = new ArrayList<>();
    final List<Publication> released = new ArrayList<>();
    private final UnsafeBuffer counters =
            new UnsafeBuffer(new byte[16 * CountersReader.COUNTER_LENGTH]);
    private int nextCounter;
    final UnsafeBufferPosition limit = counter(0);

    private final ChannelResource.Owner owner =
            new ChannelResource.Owner() {
                @Override
                public void release(Publication publication) {
                    released.add(publication);
                }

                @Override
                public void release(Subscription subscription) {
                    // as if the client had removed it
                }

                @Override
                public void release(Counter counter) {
                    throw new BusException("no driver has " + counter);
                }

                @Override
                public void change(DestinationChange change) {
                    throw new BusException("no driver can " + change.words());
                }

                @Override
                public long changeLater(DestinationChange change) {
                    throw new BusException("no driver can " + change.words());
                }

                @Override
                public void reject(Image image, String reason) {
                    throw new BusException("no driver rejects " + image + ": " + reason);
                }
            };

    Stream() {
        connected(true);
    }

    void connected(boolean connected) {
        log.metadata().putIntVolatile(LogLayout.CONNECTED, connected ? 1 : 0);
    }

    void end(long position) {
        log.metadata().putLongVolatile(LogLayout.END_OF_STREAM, position);
    }

    UnsafeBufferPosition counter(long value) {
        UnsafeBufferPosition counter = new UnsafeBufferPosition(counters, nextCounter++);
        counter.setVolatile(value);
        return counter;
    }

    Publication publication(boolean exclusive) {
        ChannelUri channel = ChannelUri.ipc().build();
        return exclusive
                ? new ExclusivePublication(channel, 1, log, limit, STATUS, owner)
                : new ConcurrentPublication(channel, 1, log, limit, STATUS, owner);
    }

    Subscription subscription(ChannelUri channel) {
        return new Subscription(channel, 1001, 2, image -> {}, image -> {}, owner);
    }

    Image image(Subscription subscription, long imageId, UnsafeBufferPosition position) {
        return new Image(
                imageId,
                subscription,
                log,
                position,
                null,
                "test",
                errors::add,
                (image, fault) -> faults.add(fault));
    }

    Image ipcImage() {
        return ipcImage(counter(0));
    }

    Image ipcImage(UnsafeBufferPosition position) {
        return image(subscription(ChannelUri.ipc().build()), 3, position);
    }

    Image remoteImage() {
        return image(subscription(ChannelUri.rdma("host:1").build()), 3, counter(0));
    }

    /** Frees everything before a position for reuse, as a driver does. */
    void consumed(long position, long cleanedBefore) {
        for (long at = cleanedBefore; at < position; at += 32) {
            int partition = LogLayout.partition(at, LogLayout.positionBitsToShift(TERM_LENGTH));
            log.term(partition).setMemory(LogLayout.termOffset(at, TERM_LENGTH), 32, (byte) 0);
        }
        limit.setVolatile(position + TERM_LENGTH);
    }

    @Override
    public void close() {
        log.close();
    }
}
