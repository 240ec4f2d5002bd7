// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import org.agrona.collections.IntHashSet;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;

/**
 * Decides which new streams an endpoint offers to the conductor, and which setups the receiver
 * requests. Senders are not trusted: the state and traffic that they can cause here are bounded.
 * Used by the receiver's thread only.
 */
final class StreamAdmission {
    /** Maximum number of streams offered to the conductor and not answered yet. */
    private static final int MAX_OFFERS = 16;

    private static final long REFUSAL_NS = 1_000_000_000;

    /** Interval at which expired bars are removed, and rejections are reported. */
    private static final long INTERVAL_NS = 100_000_000;

    private static final long ENDED_NS = 10_000_000_000L;

    /**
     * Period in which a stream is not offered.
     *
     * @param untilNs time until which the stream is not offered.
     * @param initialTermId initial term id of the barred stream; a new stream with the same ids has
     *     a different one.
     * @param hasEnded whether the stream has ended, so that new subscriptions cannot want it.
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

    StreamAdmission(int maxImages) {
        this.maxImages = maxImages;
    }

    /** Records that a stream has a subscription. */
    void listen(int streamId) {
        streams.add(streamId);
        bars.values().removeIf(bar -> !bar.hasEnded());
    }

    /** Returns whether to request the setup of an unknown stream; if so, counts the request. */
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

    /**
     * Returns whether the stream of a setup has a subscription, is not offered yet, and is not
     * barred.
     */
    boolean isWanted(int streamId, long key, int initialTermId, long nowNs) {
        if (!streams.contains(streamId) || offers.contains(key)) {
            return false;
        }
        Bar bar = bars.get(key);
        return bar == null
                || nowNs - bar.untilNs() >= 0
                || bar.hasEnded() && bar.initialTermId() != initialTermId;
    }

    /** Returns whether another stream may be offered. */
    boolean hasRoom(int images) {
        return offers.size() < MAX_OFFERS && images + offers.size() < maxImages;
    }

    /** Returns whether to report to the conductor that there are too many images; rate-limited. */
    boolean mustTell(int images, long nowNs) {
        if (images < maxImages || wasTold && nowNs - toldNs < INTERVAL_NS) {
            return false;
        }
        wasTold = true;
        toldNs = nowNs;
        return true;
    }

    /** Records that a stream was offered to the conductor. */
    void offered(long key) {
        offers.add(key);
    }

    /** Records that the conductor has created an image. */
    void accepted(long key) {
        offers.remove(key);
    }

    /** Records that the conductor does not want the stream. */
    void refused(long key, long nowNs) {
        offers.remove(key);
        bar(key, new Bar(nowNs + REFUSAL_NS, 0, false), nowNs);
    }

    /** Records that the sender of an image is gone. */
    void lost(long key, long nowNs) {
        bar(key, new Bar(nowNs + REFUSAL_NS, 0, false), nowNs);
    }

    /** Records that an image was closed. */
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

    /** Discards all state, because no subscription is left. */
    void clear() {
        bars.clear();
        offers.clear();
        streams.clear();
    }
}
