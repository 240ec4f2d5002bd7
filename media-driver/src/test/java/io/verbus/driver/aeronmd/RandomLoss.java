// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeronmd;

import io.verbus.udp.socket.DatagramLoss;
import io.verbus.udp.wire.Frames;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Random;

/** Loses a share of the datagrams that start with frames of given types. */
final class RandomLoss implements DatagramLoss {
    private final double rate;
    private final int types;
    private final Random random;

    /**
     * @param types bit n for frames of type n.
     */
    RandomLoss(double rate, long seed, int types) {
        this.rate = rate;
        this.types = types;
        random = new Random(seed);
    }

    static DatagramLoss of(Arguments arguments) {
        return new RandomLoss(
                arguments.share("rate"),
                arguments.number("seed"),
                arguments.integer("recv-msg-mask"));
    }

    @Override
    public boolean isLost(UnsafeBuffer datagram, int length) {
        if (length < Frames.COMMON_LENGTH) {
            return false;
        }
        int type = Frames.type(datagram);
        return type < Integer.SIZE && (types >> type & 1) != 0 && random.nextDouble() < rate;
    }
}
