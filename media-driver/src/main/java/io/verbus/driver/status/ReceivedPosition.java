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
 * Counters that show how much of an image has arrived: the position up to which it is complete,
 * and, if there are gaps, the higher position up to which parts have arrived. The conductor finds
 * the first by scanning the frames in the log, so that writers of the log, including devices, need
 * not report it. A counter shows the carrier, unless the channel determines it.
 *
 * <p>Used by the conductor's thread except where noted.
 */
public final class ReceivedPosition implements AutoCloseable {
    /** Maximum number of bytes of frames to scan at a time. */
    private static final int MAX_WALK = 64 * 1024;

    private final AtomicCounter complete;
    private final AtomicCounter highest;
    private final AtomicCounter naks;

    /** Counter that shows the image's carrier; null if the channel determines it. */
    private final AtomicCounter carrier;

    /** Written by the receiver; read by the conductor. */
    private volatile long arrived;

    /**
     * Allocates the counters.
     *
     * @param position first position of the image.
     * @param media media that carries the image; null if the channel determines it.
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

    /** Counts a sent NAK. Called by the receiver. */
    public void onNak() {
        naks.incrementRelease();
    }

    /**
     * Records that frames up to a position have arrived, perhaps with gaps. Called by the receiver.
     */
    public void arrived(long position) {
        arrived = position;
    }

    /**
     * Advances towards the frontier.
     *
     * @param log log of the image.
     * @param consumed position of the furthest subscriber; the log before it may have been reused.
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
