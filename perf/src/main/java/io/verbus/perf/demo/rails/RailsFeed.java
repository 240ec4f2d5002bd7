// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.rails;

import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.Header;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends numbered messages at a fixed rate, reads them, and measures the longest time without a
 * message. Not thread-safe.
 */
final class RailsFeed {
    private static final int LENGTH = 128;
    private static final int FRAGMENTS = 64;
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private final Publication publication;
    private final Subscription subscription;
    private final long paceNs;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private final FragmentHandler handler = this::onMessage;
    private long sent;
    private long next;
    private long lost;
    private long duplicated;

    /**
     * @param publication publication to send with.
     * @param subscription subscription to read.
     * @param rate messages per second.
     */
    RailsFeed(Publication publication, Subscription subscription, int rate) {
        this.publication = publication;
        this.subscription = subscription;
        paceNs = TimeUnit.SECONDS.toNanos(1) / rate;
    }

    /**
     * Sends and reads for a time.
     *
     * @param durationNs time in nanoseconds.
     * @return the longest time between two messages in nanoseconds.
     */
    long run(long durationNs) {
        long startNs = System.nanoTime();
        long lastNs = startNs;
        long dueNs = startNs;
        long longestNs = 0;
        long nowNs;
        while ((nowNs = System.nanoTime()) - startNs < durationNs) {
            if (nowNs - dueNs >= 0) {
                send();
                dueNs = Math.max(dueNs + paceNs, nowNs - paceNs);
            }
            if (read() > 0) {
                long readNs = System.nanoTime();
                longestNs = Math.max(longestNs, readNs - lastNs);
                lastNs = readNs;
            } else {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        return Math.max(longestNs, nowNs - lastNs);
    }

    private void send() {
        message.putLong(0, sent);
        if (publication.offer(message, 0, LENGTH) > 0) {
            sent++;
        }
    }

    private int read() {
        return subscription.poll(handler, FRAGMENTS);
    }

    /** Reads until all sent messages have arrived, or the time is over. */
    void drain(long durationNs) {
        long startNs = System.nanoTime();
        while (next < sent && System.nanoTime() - startNs < durationNs) {
            if (read() == 0) {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        lost += sent - next;
    }

    private void onMessage(DirectBuffer buffer, int offset, int length, Header header) {
        long number = buffer.getLong(offset);
        if (number < next) {
            duplicated++;
            return;
        }
        lost += number - next;
        next = number + 1;
    }

    /** Returns the number of messages sent. */
    long sent() {
        return sent;
    }

    /** Returns the number of messages that did not arrive. */
    long lost() {
        return lost;
    }

    /** Returns the number of messages that arrived more than once, or after a later one. */
    long duplicated() {
        return duplicated;
    }
}
