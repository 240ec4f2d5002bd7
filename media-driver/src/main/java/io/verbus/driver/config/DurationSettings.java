// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import java.time.Duration;

/** Takes the times of {@link DriverConfigBuilder} as durations. Not thread-safe. */
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

    /** Sets the time for which the driver drains when it ends. */
    public final DriverConfigBuilder drainTimeout(Duration value) {
        return drainTimeoutNs(value.toNanos());
    }

    /** Sets the length above which cycles of the conductor are counted. */
    public final DriverConfigBuilder conductorThreshold(Duration value) {
        return conductorThresholdNs(value.toNanos());
    }

    /** Sets the length above which cycles of the sender are counted. */
    public final DriverConfigBuilder senderThreshold(Duration value) {
        return senderThresholdNs(value.toNanos());
    }

    /** Sets the length above which cycles of the receiver are counted. */
    public final DriverConfigBuilder receiverThreshold(Duration value) {
        return receiverThresholdNs(value.toNanos());
    }

    /** Sets the time after which a silent client is removed. */
    public final DriverConfigBuilder clientLivenessTimeout(Duration value) {
        return clientLivenessTimeoutNs(value.toNanos());
    }

    /** Sets the time after which an open claim is filled. */
    public final DriverConfigBuilder unblockTimeout(Duration value) {
        return unblockTimeoutNs(value.toNanos());
    }

    /** Sets the time for which the stream of a rejected image is ignored. */
    public final DriverConfigBuilder imageLivenessTimeout(Duration value) {
        return imageLivenessTimeoutNs(value.toNanos());
    }

    /** Sets the time after which a slow untethered subscriber is detached. */
    public final DriverConfigBuilder untetheredWindowLimit(Duration value) {
        return untetheredWindowLimitNs(value.toNanos());
    }

    /** Sets the time for which a detached subscriber still back-pressures its stream. */
    public final DriverConfigBuilder untetheredLinger(Duration value) {
        return untetheredLingerNs(value.toNanos());
    }

    /** Sets the time from the end of the linger time-out until the subscriber rejoins. */
    public final DriverConfigBuilder untetheredResting(Duration value) {
        return untetheredRestingNs(value.toNanos());
    }

    /** Sets the time for which a log's file is kept after its last user. */
    public final DriverConfigBuilder linger(Duration value) {
        return lingerNs(value.toNanos());
    }

    /** Sets the time above which the look-up of a name is counted as slow. */
    public final DriverConfigBuilder lookUpThreshold(Duration value) {
        return lookUpThresholdNs(value.toNanos());
    }

    /** Sets the time after which a silent neighbor of the name resolver is forgotten. */
    public final DriverConfigBuilder resolverNeighborTimeout(Duration value) {
        return resolverNeighborTimeoutNs(value.toNanos());
    }

    /** Sets the interval between announcements of this driver's own name. */
    public final DriverConfigBuilder resolverSelfInterval(Duration value) {
        return resolverSelfIntervalNs(value.toNanos());
    }

    /** Sets the interval between announcements of the neighbors. */
    public final DriverConfigBuilder resolverNeighborInterval(Duration value) {
        return resolverNeighborIntervalNs(value.toNanos());
    }

    /** Sets the interval between searches for the bootstrap neighbors. */
    public final DriverConfigBuilder resolverBootstrapInterval(Duration value) {
        return resolverBootstrapIntervalNs(value.toNanos());
    }
}
