// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.codecs.rdma.HelloDecoder;
import io.verbus.codecs.rdma.HelloEncoder;
import io.verbus.codecs.rdma.RejectCode;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The private data of a connection request and of its answer: which driver speaks. A fabric may pad
 * it, so only the fields' own bytes count.
 *
 * @param version of the protocol that the peer speaks.
 * @param rejectCode why, in a rejection.
 * @param driverId of the peer, new at each of its starts.
 */
public record Hello(int version, RejectCode rejectCode, long driverId) {
    /** "VERBUS" and the version of the message itself. */
    public static final long MAGIC = 0x5645524255530001L;

    /** Version of the protocol that this release speaks. */
    public static final int VERSION = 3;

    /** Bytes of this side's greeting. */
    public static byte[] of(long driverId, RejectCode rejectCode) {
        return of(VERSION, driverId, rejectCode);
    }

    /** Bytes of a greeting of any version. */
    public static byte[] of(int version, long driverId, RejectCode rejectCode) {
        byte[] bytes = new byte[HelloEncoder.BLOCK_LENGTH];
        new HelloEncoder()
                .wrap(new UnsafeBuffer(bytes), 0)
                .magic(MAGIC)
                .protocolVersion(version)
                .rejectCode(rejectCode)
                .driverId(driverId);
        return bytes;
    }

    /**
     * Reads a peer's greeting.
     *
     * @param bytes as they arrived.
     * @return the greeting, or null if it is none of a Verbus driver.
     */
    public static Hello read(byte[] bytes) {
        if (bytes.length < HelloDecoder.BLOCK_LENGTH) {
            return null;
        }
        HelloDecoder hello =
                new HelloDecoder()
                        .wrap(
                                new UnsafeBuffer(bytes),
                                0,
                                HelloDecoder.BLOCK_LENGTH,
                                HelloDecoder.SCHEMA_VERSION);
        if (hello.magic() != MAGIC) {
            return null;
        }
        return new Hello(
                (int) hello.protocolVersion(), code(hello.rejectCodeRaw()), hello.driverId());
    }

    /** Whether the peer speaks another version. */
    public boolean isOtherVersion() {
        return version != VERSION;
    }

    /** Tells that the peer speaks another version, with the remedy. */
    public String versionsDiffer(String peer) {
        return peer
                + " speaks version "
                + version
                + " of the protocol, this one version "
                + VERSION
                + ": use the same Verbus release for both";
    }

    /** The code of a number from a peer; unspecified if it has no meaning here. */
    static RejectCode code(int raw) {
        return raw >= 0 && raw <= RejectCode.NO_PUBLICATION.value()
                ? RejectCode.get(raw)
                : RejectCode.UNSPECIFIED;
    }
}
