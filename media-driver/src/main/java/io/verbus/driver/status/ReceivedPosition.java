// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;
import io.verbus.cnc.CounterTypes;
import io.verbus.logbuffer.FrameCheck;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * Tells operators how much of an image has arrived: all of it up to one position, and something up
 * to a higher one where there are gaps. The conductor finds the first by walking the frames in the
 * log, which whoever writes the log, a device included, need not tell. Where the channel does not
 * say what carries the image, a counter does.
 *
 * <p>Conductor's thread but where it says otherwise.
 */
public final class ReceivedPosition implements AutoCloseable {
    /** Bytes of frames that are walked in one go. */
    private static final int MAX_WALK = 64 * 1024;

    private final AtomicCounter complete;
    private final AtomicCounter highest;
    private final AtomicCounter naks;

    /** Tells what carries the image; null where its channel does. */
    private final AtomicCounter carrier;

    /** Written by the receiver; read by the conductor. */
    private volatile long arrived;

    /**
     * Allocates the counters.
     *
     * @param position at which the image begins.
     * @param media that carries the image, where its channel does not say so; or null.
     * @throws BusException if there are none left.
     */
    public ReceivedPosition(
            DriverCounters counters, DriverCounters.Stream image, long position, String media) {
        List<AtomicCounter> made = new ArrayList<>();
        try {
            highest = add(made, counters, CounterTypes.RECEIVER_HIGH_WATER, "rcv-hwm", image);
            complete = add(made, counters, CounterTypes.RECEIVER_POSITION, "rcv-pos", image);
            naks = add(made, counters, CounterTypes.RECEIVER_NAKS_SENT, "rcv-naks-sent", image);
            carrier = media == null ? null : counters.carrier(CounterShare.IMAGES, image, media);
        } catch (BusException e) {
            made.forEach(AtomicCounter::close);
            throw e;
        }
        highest.setRelease(position);
        complete.setRelease(position);
    }

    private static AtomicCounter add(
            List<AtomicCounter> made,
            DriverCounters counters,
            int typeId,
            String name,
            DriverCounters.Stream image) {
        made.add(counters.stream(typeId, name, image));
        return made.getLast();
    }

    /** A NAK has gone out. Receiver. */
    public void onNak() {
        naks.incrementRelease();
    }

    /** Something has arrived up to a position. Receiver. */
    public void arrived(long position) {
        arrived = position;
    }

    /**
     * Goes on towards the frontier.
     *
     * @param log of the image.
     * @param consumed position of the furthest subscriber; nothing before it need still be there.
     */
    public void update(LogBuffers log, long consumed) {
        long reached = walk(log, Math.max(complete.getPlain(), consumed));
        if (reached != complete.getPlain()) {
            complete.setRelease(reached);
        }
        long most = Math.max(reached, arrived);
        if (most > highest.getPlain()) {
            highest.setRelease(most);
        }
    }

    private static long walk(LogBuffers log, long from) {
        int termLength = log.spec().termLength();
        int bitsToShift = LogLayout.positionBitsToShift(termLength);
        long at = from & -FrameHeader.ALIGNMENT; // a subscriber may write anything
        long end = at + MAX_WALK;
        while (at < end) {
            int offset = LogLayout.termOffset(at, termLength);
            long word = log.term(LogLayout.partition(at, bitsToShift)).getLongAcquire(offset);
            if (word == 0 || !FrameCheck.isValid(word, offset, termLength)) {
                return at;
            }
            at += FrameHeader.align(FrameHeader.length(word));
        }
        return at;
    }

    @Override
    public void close() {
        complete.close();
        highest.close();
        naks.close();
        if (carrier != null) {
            carrier.close();
        }
    }
}
