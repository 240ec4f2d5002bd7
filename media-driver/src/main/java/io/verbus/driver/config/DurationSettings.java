// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import java.time.Duration;

/** Settings of {@link DriverConfigBuilder} that are times, as durations. One thread. */
public abstract sealed class DurationSettings permits DriverConfigBuilder {
    DurationSettings() {}

    abstract DriverConfigBuilder drainTimeoutNs(long value);

    abstract DriverConfigBuilder conductorThresholdNs(long value);

    abstract DriverConfigBuilder senderThresholdNs(long value);

    abstract DriverConfigBuilder receiverThresholdNs(long value);

    abstract DriverConfigBuilder clientLivenessTimeoutNs(long value);

    abstract DriverConfigBuilder unblockTimeoutNs(long value);

    abstract DriverConfigBuilder imageLivenessTimeoutNs(long value);

    abstract DriverConfigBuilder untetheredWindowLimitNs(long value);

    abstract DriverConfigBuilder untetheredLingerNs(long value);

    abstract DriverConfigBuilder untetheredRestingNs(long value);

    abstract DriverConfigBuilder lingerNs(long value);

    abstract DriverConfigBuilder lookUpThresholdNs(long value);

    abstract DriverConfigBuilder resolverNeighborTimeoutNs(long value);

    abstract DriverConfigBuilder resolverSelfIntervalNs(long value);

    abstract DriverConfigBuilder resolverNeighborIntervalNs(long value);

    abstract DriverConfigBuilder resolverBootstrapIntervalNs(long value);

    /** Time for which the driver drains when it is told to end. */
    public final DriverConfigBuilder drainTimeout(Duration value) {
        return drainTimeoutNs(value.toNanos());
    }

    /** Time that a cycle of the conductor may take until it is counted as too long. */
    public final DriverConfigBuilder conductorThreshold(Duration value) {
        return conductorThresholdNs(value.toNanos());
    }

    /** Time that a cycle of the sender may take until it is counted as too long. */
    public final DriverConfigBuilder senderThreshold(Duration value) {
        return senderThresholdNs(value.toNanos());
    }

    /** Time that a cycle of the receiver may take until it is counted as too long. */
    public final DriverConfigBuilder receiverThreshold(Duration value) {
        return receiverThresholdNs(value.toNanos());
    }

    /** Time after which a silent client is given up. */
    public final DriverConfigBuilder clientLivenessTimeout(Duration value) {
        return clientLivenessTimeoutNs(value.toNanos());
    }

    /** Time after which an open claim is filled. */
    public final DriverConfigBuilder unblockTimeout(Duration value) {
        return unblockTimeoutNs(value.toNanos());
    }

    /** Time for which a stream is ignored whose image was rejected. */
    public final DriverConfigBuilder imageLivenessTimeout(Duration value) {
        return imageLivenessTimeoutNs(value.toNanos());
    }

    /** Time after which a slow untethered subscriber is detached. */
    public final DriverConfigBuilder untetheredWindowLimit(Duration value) {
        return untetheredWindowLimitNs(value.toNanos());
    }

    /** Time for which a detached subscriber still holds its stream back. */
    public final DriverConfigBuilder untetheredLinger(Duration value) {
        return untetheredLingerNs(value.toNanos());
    }

    /** Time after that, until the subscriber joins again. */
    public final DriverConfigBuilder untetheredResting(Duration value) {
        return untetheredRestingNs(value.toNanos());
    }

    /** Time for which a log's file stays after its last user has gone. */
    public final DriverConfigBuilder linger(Duration value) {
        return lingerNs(value.toNanos());
    }

    /** Time that the look-up of a name may take until it is counted as slow. */
    public final DriverConfigBuilder lookUpThreshold(Duration value) {
        return lookUpThresholdNs(value.toNanos());
    }

    /** Time after which a silent neighbor of the name resolver is forgotten. */
    public final DriverConfigBuilder resolverNeighborTimeout(Duration value) {
        return resolverNeighborTimeoutNs(value.toNanos());
    }

    /** Time between two announcements of this driver's own name. */
    public final DriverConfigBuilder resolverSelfInterval(Duration value) {
        return resolverSelfIntervalNs(value.toNanos());
    }

    /** Time between two announcements of the neighbors. */
    public final DriverConfigBuilder resolverNeighborInterval(Duration value) {
        return resolverNeighborIntervalNs(value.toNanos());
    }

    /** Time between two looks for the bootstrap neighbors. */
    public final DriverConfigBuilder resolverBootstrapInterval(Duration value) {
        return resolverBootstrapIntervalNs(value.toNanos());
    }
}
