// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeronmd;

import io.verbus.udp.socket.DatagramLoss;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Map;
import java.util.function.Function;

/**
 * Losses that Aeron's system tests configure for an external driver by environment variables; none
 * by default.
 */
public final class ConfiguredLoss implements DatagramLoss {
    static final String INTERCEPTORS = "AERON_UDP_CHANNEL_INCOMING_INTERCEPTORS";
    private static final String ARGUMENTS = "AERON_UDP_CHANNEL_TRANSPORT_BINDINGS_";

    private final DatagramLoss loss;

    /** Reads the environment: called by {@link java.util.ServiceLoader}. */
    public ConfiguredLoss() {
        this(System.getenv());
    }

    ConfiguredLoss(Map<String, String> environment) {
        String name = environment.getOrDefault(INTERCEPTORS, "");
        loss =
                switch (name) {
                    case "" -> (datagram, length) -> false;
                    case "loss" -> configured(environment, "LOSS_ARGS", RandomLoss::of);
                    case "fixed-loss" ->
                            configured(environment, "FIXED_LOSS_ARGS", RangeLoss::ofOneRange);
                    case "multi-gap-loss" ->
                            configured(environment, "MULTI_GAP_LOSS_ARGS", RangeLoss::ofGaps);
                    default ->
                            throw new IllegalArgumentException(
                                    INTERCEPTORS
                                            + " is "
                                            + name
                                            + ": it must be loss, fixed-loss or multi-gap-loss");
                };
    }

    private static DatagramLoss configured(
            Map<String, String> environment,
            String variable,
            Function<Arguments, DatagramLoss> losses) {
        String name = ARGUMENTS + variable;
        return losses.apply(Arguments.parse(name, environment.get(name)));
    }

    @Override
    public boolean isLost(UnsafeBuffer datagram, int length) {
        return loss.isLost(datagram, length);
    }
}
