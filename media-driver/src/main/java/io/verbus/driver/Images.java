// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.cnc.CounterTypes;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.Transport;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Images of remote publications, from set-up to the release of their logs. Conductor's thread. */
final class Images {
    private final Subscriptions subscriptions;
    private final LogFiles files;
    private final DriverCounters counters;
    private final ClientEvents events;
    private final ErrorHandler errors;
    private final LongSupplier ids;
    private final AtomicCounter count;
    private final AtomicCounter lost;
    private final List<NetworkImage> all = new ArrayList<>();

    Images(
            Subscriptions subscriptions,
            LogFiles files,
            DriverCounters counters,
            ClientEvents events,
            ErrorHandler errors,
            LongSupplier ids) {
        this.subscriptions = subscriptions;
        this.files = files;
        this.counters = counters;
        this.events = events;
        this.errors = errors;
        this.ids = ids;
        this.count = counters.system(SystemCounter.IMAGES);
        this.lost = counters.system(SystemCounter.IMAGES_LOST);
    }

    /**
     * Makes the image of a stream that a peer offers, and announces it.
     *
     * @return the image; null if nobody subscribes.
     * @throws BusException if there is too little space, or no counter left.
     */
    NetworkImage onSetup(Transport transport, InboundEndpoint endpoint, ImageSetup setup) {
        if (!subscriptions.hasFor(endpoint, setup.streamId(), setup.sessionId())) {
            return null;
        }
        LogSpec spec =
                new LogSpec(
                        ids.getAsLong(),
                        setup.sessionId(),
                        setup.streamId(),
                        setup.initialTermId(),
                        setup.termLength(),
                        setup.mtu(),
                        setup.position());
        LogBuffers log = files.image(spec);
        AtomicCounter receiverPosition;
        try {
            receiverPosition =
                    counters.stream(
                            CounterTypes.RECEIVER_POSITION,
                            spec.registrationId(),
                            spec.sessionId(),
                            spec.streamId(),
                            "receiver position: stream "
                                    + spec.streamId()
                                    + " session "
                                    + spec.sessionId()
                                    + " from "
                                    + setup.source());
        } catch (BusException e) {
            files.free(log);
            throw e;
        }
        NetworkImage image =
                new NetworkImage(
                        transport, endpoint, setup, log, receiverPosition, counters, events);
        all.add(image);
        count.setRelease(all.size());
        subscriptions.addSource(image);
        return image;
    }

    /** The peer is lost: what has arrived is still read. */
    void onLost(NetworkImage image, String reason) {
        lost.incrementRelease();
        InvalidFrameException defect = image.onLost(reason);
        if (defect != null) {
            errors.onError(defect);
        }
    }

    /** Every cycle. Returns the amount of work done. */
    int update(long nowNs) {
        int work = 0;
        for (int i = all.size() - 1; i >= 0; i--) {
            NetworkImage image = all.get(i);
            work += image.update();
            if (image.isReleased()) {
                all.remove(i);
                subscriptions.removeSource(image);
                image.free();
                files.release(image.log(), nowNs);
                count.setRelease(all.size());
                work++;
            }
        }
        return work;
    }

    /** Unmaps and deletes all logs; the agents and transports have stopped. */
    void close() {
        for (NetworkImage image : all) {
            files.free(image.log());
        }
        all.clear();
    }
}
