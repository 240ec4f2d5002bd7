// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.socket.SocketAddress;

import java.security.SecureRandom;

/**
 * Finds out whether a receiver is at an address: a question holds a number that only its receiver
 * can give back. The number is a keyed hash of address and time, so that nothing is kept of the
 * addresses that were asked, however many there are. Sender's thread, once it is made.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9000#section-8.2">RFC 9000, path validation</a>
 */
final class Presence {
    /** A number is good for one of these periods at least, and for two at most. */
    private static final long PERIOD_NS = 1_000_000_000;

    private final SipHash hash;

    Presence() {
        SecureRandom random = new SecureRandom();
        hash = new SipHash(random.nextLong(), random.nextLong());
    }

    /** The number that a question to an address holds. */
    long question(SocketAddress address, long nowNs) {
        return number(address, Math.floorDiv(nowNs, PERIOD_NS));
    }

    /** Whether an answer from an address holds the number of a question to it. */
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
