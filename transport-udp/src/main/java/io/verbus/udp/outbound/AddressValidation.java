// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.socket.SocketAddress;

import java.security.SecureRandom;

/**
 * Checks that a receiver is reachable at an address: a challenge contains a number that only the
 * receiver of the challenge can return. The number is a keyed hash of address and time, so no state
 * is kept per address. Used by the sender's thread only, after construction.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9000#section-8.2">RFC 9000, path validation</a>
 */
final class AddressValidation {
    /** A number is valid for at least one of these periods, and at most two. */
    private static final long PERIOD_NS = 1_000_000_000;

    private final SipHash hash;

    AddressValidation() {
        SecureRandom random = new SecureRandom();
        hash = new SipHash(random.nextLong(), random.nextLong());
    }

    /** Returns the number to send to an address. */
    long question(SocketAddress address, long nowNs) {
        return number(address, Math.floorDiv(nowNs, PERIOD_NS));
    }

    /** Returns whether a number from an address answers a challenge to it. */
    boolean isAnswer(SocketAddress address, long number, long nowNs) {
        long period = Math.floorDiv(nowNs, PERIOD_NS);
        return number == number(address, period) || number == number(address, period - 1);
    }

    private long number(SocketAddress address, long period) {
        hash.begin();
        hash.add(period);
        for (int i = 0; i < address.words(); i++) {
            hash.add(address.word(i));
        }
        return hash.end();
    }
}
