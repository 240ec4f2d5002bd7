// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import org.agrona.collections.IntHashSet;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;

/**
 * Decides which new streams may come in at an endpoint, and which the receiver asks for their
 * set-up. Senders there are not to be trusted: what they can make this side keep or send is
 * bounded. Receiver's thread.
 */
final class Admission {
    /** Streams that the conductor was told of and has not answered. */
    private static final int MAX_OFFERS = 16;

    private static final long REFUSAL_NS = 1_000_000_000;

    /** Bars that are over are looked for, and the conductor told of what is refused, so often. */
    private static final long INTERVAL_NS = 100_000_000;

    private static final long ENDED_NS = 10_000_000_000L;

    /**
     * A stream that is not to be offered for a while.
     *
     * @param untilNs when it may be offered again.
     * @param initialTermId of the stream that is meant: another with the same ids has another.
     * @param hasEnded whether it has ended, so that no subscription that comes can want it.
     */
    private record Bar(long untilNs, int initialTermId, boolean hasEnded) {}

    private final IntHashSet streams = new IntHashSet();
    private final Long2ObjectHashMap<Bar> bars = new Long2ObjectHashMap<>();
    private final LongHashSet offers = new LongHashSet();
    private final SetupRequests requests = new SetupRequests();
    private final int maxImages;
    private boolean wasTold;
    private long toldNs;
    private long sweptNs;

    Admission(int maxImages) {
        this.maxImages = maxImages;
    }

    /** A stream has a subscription. */
    void listen(int streamId) {
        streams.add(streamId);
        bars.values().removeIf(bar -> !bar.hasEnded());
    }

    /** Whether data of an unknown stream is worth a request for its set-up; counts it as made. */
    boolean mayAsk(int streamId, long key, long nowNs) {
        return streams.contains(streamId)
                && !offers.contains(key)
                && !isBarred(key, nowNs)
                && requests.mayAsk(key, nowNs);
    }

    private boolean isBarred(long key, long nowNs) {
        Bar bar = bars.get(key);
        return bar != null && nowNs - bar.untilNs() < 0;
    }

    /** Whether a set-up is of a stream that is wanted, not offered yet, and not barred. */
    boolean isWanted(int streamId, long key, int initialTermId, long nowNs) {
        if (!streams.contains(streamId) || offers.contains(key)) {
            return false;
        }
        Bar bar = bars.get(key);
        return bar == null
                || nowNs - bar.untilNs() >= 0
                || bar.hasEnded() && bar.initialTermId() != initialTermId;
    }

    /** Whether one more stream may be offered. */
    boolean hasRoom(int images) {
        return offers.size() < MAX_OFFERS && images + offers.size() < maxImages;
    }

    /** Whether the conductor is to know that there are too many images; counts it as told. */
    boolean mustTell(int images, long nowNs) {
        if (images < maxImages || wasTold && nowNs - toldNs < INTERVAL_NS) {
            return false;
        }
        wasTold = true;
        toldNs = nowNs;
        return true;
    }

    /** The conductor is told of a stream. */
    void offered(long key) {
        offers.add(key);
    }

    /** The conductor has made an image. */
    void accepted(long key) {
        offers.remove(key);
    }

    /** The conductor does not want the stream. */
    void refused(long key, long nowNs) {
        offers.remove(key);
        bar(key, new Bar(nowNs + REFUSAL_NS, 0, false), nowNs);
    }

    /** The sender of an image is gone. */
    void lost(long key, long nowNs) {
        bar(key, new Bar(nowNs + REFUSAL_NS, 0, false), nowNs);
    }

    /** An image is received no more. */
    void closed(long key, int initialTermId, boolean hasEnded, long nowNs) {
        long barredNs = hasEnded ? ENDED_NS : REFUSAL_NS;
        bar(key, new Bar(nowNs + barredNs, initialTermId, hasEnded), nowNs);
    }

    private void bar(long key, Bar bar, long nowNs) {
        if (bars.size() >= maxImages && nowNs - sweptNs >= INTERVAL_NS) {
            sweptNs = nowNs;
            bars.values().removeIf(old -> nowNs - old.untilNs() >= 0);
        }
        if (bars.size() < maxImages) {
            bars.put(key, bar);
        }
    }

    /** There is no subscription here any more. */
    void clear() {
        bars.clear();
        offers.clear();
        streams.clear();
    }
}
