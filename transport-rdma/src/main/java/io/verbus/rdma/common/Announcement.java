// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.codecs.rdma.AnnounceDecoder;
import io.verbus.codecs.rdma.AnnounceEncoder;
import io.verbus.codecs.rdma.AnnouncedDecoder;
import io.verbus.codecs.rdma.AnnouncedEncoder;
import io.verbus.codecs.rdma.BooleanType;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.auth.Key;
import io.verbus.rdma.auth.Proof;

import org.agrona.concurrent.UnsafeBuffer;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The private data of a connection request at a publication's control address, with which a
 * receiver asks the publisher to connect to it. An announcement needs no connection, so the request
 * is always rejected, and the rejection contains the answer. A fabric may pad either message with
 * zeros, and a later release may add fields.
 *
 * @param versions protocol versions that the peer speaks.
 * @param driverId id of the subscribing driver.
 * @param port port at which the driver listens, at the address from which it announces itself.
 * @param isOfSession whether the driver requests only the responses of one session.
 * @param streamId stream of the responses.
 * @param sessionId session of the responses.
 * @param key number of the proof's key; 0 without a proof.
 * @param proof1 first half of the shortened proof that the driver has the key.
 * @param proof2 second half of the shortened proof.
 */
public record Announcement(
        Versions versions,
        long driverId,
        int port,
        boolean isOfSession,
        int streamId,
        int sessionId,
        int key,
        long proof1,
        long proof2) {
    /** "VERBUS", the type of the message, and its version. */
    public static final long MAGIC = 0x5645524255530101L;

    private static final int COVERED_LENGTH = 5 * Integer.BYTES + Long.BYTES + 1;
    private static final long UNSIGNED = 0xFFFF_FFFFL;
    private static final int LEAST_LENGTH = AnnounceDecoder.highestVersionEncodingOffset();

    /**
     * The answer to an announcement.
     *
     * @param versions protocol versions that the publishing driver speaks.
     * @param code {@link RejectCode#ANNOUNCED}, or the reason of the refusal.
     * @param controlId id of the control address, repeated in each Setup that follows.
     */
    public record Answer(Versions versions, RejectCode code, long controlId) {
        private static final int LEAST_LENGTH = AnnouncedDecoder.highestVersionEncodingOffset();

        /** Encodes this side's answer. */
        public static byte[] of(RejectCode code, long controlId) {
            byte[] bytes = new byte[AnnouncedEncoder.BLOCK_LENGTH];
            new AnnouncedEncoder()
                    .wrap(new UnsafeBuffer(bytes), 0)
                    .magic(MAGIC)
                    .protocolVersion(Versions.OURS.lowest())
                    .code(code)
                    .controlId(controlId)
                    .highestVersion(Versions.OURS.highest());
            return bytes;
        }

        /**
         * Reads a peer's answer.
         *
         * @param bytes bytes as received.
         * @return the answer, or null if the bytes are not an answer.
         */
        public static Answer read(byte[] bytes) {
            if (bytes.length < LEAST_LENGTH) {
                return null;
            }
            byte[] whole = Arrays.copyOf(bytes, AnnouncedDecoder.BLOCK_LENGTH);
            AnnouncedDecoder answer =
                    new AnnouncedDecoder()
                            .wrap(
                                    new UnsafeBuffer(whole),
                                    0,
                                    AnnouncedDecoder.BLOCK_LENGTH,
                                    AnnouncedDecoder.SCHEMA_VERSION);
            return answer.magic() == MAGIC
                    ? new Answer(
                            Versions.told((int) answer.protocolVersion(), answer.highestVersion()),
                            Hello.code(answer.codeRaw()),
                            answer.controlId())
                    : null;
        }
    }

    /** Creates the announcement of a receiver that accepts all streams of the control address. */
    public static Announcement ofAll(long driverId, int port) {
        return new Announcement(Versions.OURS, driverId, port, false, 0, 0, 0, 0, 0);
    }

    /** Creates the announcement of a receiver that awaits responses. */
    public static Announcement ofSession(long driverId, int port, int streamId, int sessionId) {
        return new Announcement(Versions.OURS, driverId, port, true, streamId, sessionId, 0, 0, 0);
    }

    /**
     * Returns a copy with a proof.
     *
     * @param with key of the publisher's network; null for no proof.
     * @param publisher address of the publisher.
     */
    public Announcement proved(Key with, InetAddress publisher) {
        if (with == null) {
            return this;
        }
        Proof proof = with.announcement(covered(publisher));
        return new Announcement(
                versions,
                driverId,
                port,
                isOfSession,
                streamId,
                sessionId,
                with.id(),
                proof.first(),
                proof.second());
    }

    /**
     * Returns the data that the proof covers.
     *
     * @param publisher address of the publisher.
     */
    public byte[] covered(InetAddress publisher) {
        byte[] host = publisher.getAddress();
        return ByteBuffer.allocate(1 + host.length + COVERED_LENGTH)
                .put((byte) host.length)
                .put(host)
                .putInt(versions.lowest())
                .putInt(versions.highest())
                .putLong(driverId)
                .putInt(port)
                .put((byte) (isOfSession ? 1 : 0))
                .putInt(streamId)
                .putInt(sessionId)
                .array();
    }

    /** Encodes the announcement. */
    public byte[] bytes() {
        byte[] bytes = new byte[AnnounceEncoder.BLOCK_LENGTH];
        new AnnounceEncoder()
                .wrap(new UnsafeBuffer(bytes), 0)
                .magic(MAGIC)
                .protocolVersion(versions.lowest())
                .driverId(driverId)
                .port(port)
                .ofSession(isOfSession ? BooleanType.T : BooleanType.F)
                .streamId(streamId)
                .sessionId(sessionId)
                .highestVersion(versions.highest())
                .key(key & UNSIGNED)
                .proof1(proof1)
                .proof2(proof2);
        return bytes;
    }

    /**
     * Reads a peer's announcement.
     *
     * @param bytes bytes as received.
     * @return the announcement, or null if it is not from a Verbus driver.
     */
    public static Announcement read(byte[] bytes) {
        if (bytes.length < LEAST_LENGTH) {
            return null;
        }
        byte[] whole = Arrays.copyOf(bytes, AnnounceDecoder.BLOCK_LENGTH);
        AnnounceDecoder announce =
                new AnnounceDecoder()
                        .wrap(
                                new UnsafeBuffer(whole),
                                0,
                                AnnounceDecoder.BLOCK_LENGTH,
                                AnnounceDecoder.SCHEMA_VERSION);
        if (announce.magic() != MAGIC || announce.ofSessionRaw() > BooleanType.T.value()) {
            return null;
        }
        return new Announcement(
                Versions.told((int) announce.protocolVersion(), announce.highestVersion()),
                announce.driverId(),
                announce.port(),
                announce.ofSessionRaw() == BooleanType.T.value(),
                announce.streamId(),
                announce.sessionId(),
                (int) announce.key(),
                announce.proof1(),
                announce.proof2());
    }
}
