// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.logbuffer.LogLayout;
import io.verbus.rdma.common.Setup;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.SplittableRandom;

/**
 * Listens where a publishing driver connects, and does with each connection, in random order, what
 * no subscribing driver would. One thread.
 */
final class HostileSubscriber implements AutoCloseable {
    private static final int POLLS = 300;

    private final SplittableRandom random;
    private final RawPeer raw;
    private int connections;

    /** Attacks on a publishing driver. */
    enum Act {
        SEND_NOISE,
        LIE_ABOUT_THE_LOG,
        LIE_ABOUT_POSITION_AND_WINDOW,
        WRITE_NOISE_AS_CREDIT,
        WRITE_OUTSIDE_OF_THE_CREDIT,
        CLOSE_AND_ACCEPT_IN_TURNS,
        ASK_AGAIN_AND_AGAIN,
        CLOSE_WHAT_IS_NOT_OPEN,
        ANSWER_NOTHING
    }

    HostileSubscriber(long seed, String host, int port) {
        random = new SplittableRandom(seed);
        raw = new RawPeer().listen(host, port, RawPeer.goodHello());
    }

    /** Number of abused connections. */
    int connections() {
        return connections;
    }

    /** Polls; abuses a connection if one stands and offers a stream. */
    void work() {
        raw.poll();
        if (raw.isUp() && raw.offered() != null) {
            connections++;
            Act[] acts = Act.values();
            abuse(acts[random.nextInt(acts.length)], raw.offered());
            raw.forgetOffer();
        }
    }

    private void abuse(Act act, Setup offer) {
        long id = offer.registrationId();
        long log = raw.writable().address();
        int key = raw.writable().remoteKey().value();
        switch (act) {
            case SEND_NOISE -> raw.send(noise(1 + random.nextInt(256)));
            case LIE_ABOUT_THE_LOG ->
                    raw.accept(
                            id,
                            random.nextBoolean() ? log : random.nextLong() & ~63L,
                            random.nextInt(),
                            offer.position(),
                            offer.termLength());
            case LIE_ABOUT_POSITION_AND_WINDOW ->
                    raw.accept(
                            id,
                            log,
                            key,
                            random.nextBoolean() ? offer.position() : random.nextLong() & ~31L,
                            random.nextInt());
            case WRITE_NOISE_AS_CREDIT -> {
                raw.accept(id, log, key, offer.position(), 1024);
                UnsafeBuffer credit = new UnsafeBuffer(noise(16));
                credit.putLong(0, random.nextBoolean() ? random.nextLong() : 1L << 40);
                raw.writeTo(credit.byteArray(), offer.creditAddress(), offer.creditKey());
            }
            case WRITE_OUTSIDE_OF_THE_CREDIT -> {
                raw.accept(id, log, key, offer.position(), 1024);
                raw.writeTo(noise(64), offer.creditAddress() + (1 << 20), offer.creditKey());
            }
            case CLOSE_AND_ACCEPT_IN_TURNS -> {
                for (int i = 0; i < 20 && raw.isUp() && raw.offered() != null; i++) {
                    raw.forgetOffer();
                    raw.accept(id, log, key, offer.position(), LogLayout.MIN_TERM_LENGTH);
                    raw.imageClosed(id);
                    poll();
                }
            }
            case ASK_AGAIN_AND_AGAIN -> {
                for (int i = 0; i < 20 && raw.isUp() && raw.offered() != null; i++) {
                    long from = raw.offered().position();
                    raw.forgetOffer();
                    raw.accept(id, log, key, from, LogLayout.MIN_TERM_LENGTH);
                    raw.again(id);
                    poll();
                }
                raw.again(id);
            }
            case CLOSE_WHAT_IS_NOT_OPEN -> raw.imageClosed(id);
            case ANSWER_NOTHING -> {
                // Until the driver disconnects, or the attack is over.
            }
        }
        poll();
        raw.leave();
    }

    private void poll() {
        for (int i = 0; i < POLLS && raw.isUp(); i++) {
            raw.poll();
            Thread.yield();
        }
    }

    private byte[] noise(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @Override
    public void close() {
        raw.close();
    }
}
