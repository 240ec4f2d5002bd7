// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.codecs.rdma.HelloDecoder;
import io.verbus.codecs.rdma.HelloEncoder;
import io.verbus.codecs.rdma.RejectCode;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;

/**
 * The private data of a connection request and of its answer: which driver speaks. A fabric may pad
 * it with zeros, and a later release may add fields behind those that are known here.
 *
 * @param versions of the protocol that the peer speaks.
 * @param rejectCode why, in a rejection.
 * @param driverId of the peer, new at each of its starts.
 */
public record Hello(Versions versions, RejectCode rejectCode, long driverId) {
    /** "VERBUS" and the version of the message itself. */
    public static final long MAGIC = 0x5645524255530001L;

    /** Bytes of the greeting of a release that speaks one version only: what every one has. */
    private static final int LEAST_LENGTH = HelloDecoder.highestVersionEncodingOffset();

    /** Bytes of this side's greeting. */
    public static byte[] of(long driverId, RejectCode rejectCode) {
        return new Hello(Versions.OURS, rejectCode, driverId).bytes();
    }

    /** Its bytes. */
    public byte[] bytes() {
        byte[] bytes = new byte[HelloEncoder.BLOCK_LENGTH];
        new HelloEncoder()
                .wrap(new UnsafeBuffer(bytes), 0)
                .magic(MAGIC)
                .protocolVersion(versions.lowest())
                .rejectCode(rejectCode)
                .driverId(driverId)
                .highestVersion(versions.highest());
        return bytes;
    }

    /**
     * Reads a peer's greeting.
     *
     * @param bytes as they arrived.
     * @return the greeting, or null if it is none of a Verbus driver.
     */
    public static Hello read(byte[] bytes) {
        if (bytes.length < LEAST_LENGTH) {
            return null;
        }
        // The fields that an older release does not send read as zeros.
        byte[] whole = Arrays.copyOf(bytes, HelloDecoder.BLOCK_LENGTH);
        HelloDecoder hello =
                new HelloDecoder()
                        .wrap(
                                new UnsafeBuffer(whole),
                                0,
                                HelloDecoder.BLOCK_LENGTH,
                                HelloDecoder.SCHEMA_VERSION);
        if (hello.magic() != MAGIC) {
            return null;
        }
        return new Hello(
                Versions.told((int) hello.protocolVersion(), hello.highestVersion()),
                code(hello.rejectCodeRaw()),
                hello.driverId());
    }

    /** Whether the peer speaks none of this release's versions. */
    public boolean isStrange() {
        return versions.isStrangeTo(Versions.OURS);
    }

    /** The version in which the two speak. */
    public int version() {
        return versions.common(Versions.OURS);
    }

    /** The code of a number from a peer; unspecified if it has no meaning here. */
    static RejectCode code(int raw) {
        return raw >= 0 && raw <= RejectCode.NO_PUBLICATION.value()
                ? RejectCode.get(raw)
                : RejectCode.UNSPECIFIED;
    }
}
