// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.codecs.rdma.BooleanType;
import io.verbus.codecs.rdma.HelloDecoder;
import io.verbus.codecs.rdma.HelloEncoder;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.auth.Challenge;
import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.auth.Side;

import org.agrona.concurrent.UnsafeBuffer;

import java.net.InetAddress;
import java.util.Arrays;

/**
 * The private data of a connection request and of its answer, which identifies the driver. A fabric
 * may pad it with zeros, and a later release may append fields.
 *
 * @param versions protocol versions that the peer speaks.
 * @param rejectCode reason of a rejection.
 * @param driverId id of the peer, which changes at each start.
 * @param challenge the peer's challenge for this side to prove that it has the key of its network.
 * @param proof the peer's proof that it has the key, in an answer.
 * @param confirms whether each side must commit only what the other side has confirmed.
 */
public record Hello(
        Versions versions,
        RejectCode rejectCode,
        long driverId,
        Challenge challenge,
        Proof proof,
        boolean confirms) {
    /** "VERBUS" and the version of the message. */
    public static final long MAGIC = 0x5645524255530001L;

    /** Length of the hello of releases that speak a single version; the minimum length. */
    private static final int LEAST_LENGTH = HelloDecoder.highestVersionEncodingOffset();

    /** Number of bytes before the proof. */
    private static final int REQUEST_LENGTH = HelloDecoder.proof1EncodingOffset();

    private static final long UNSIGNED = 0xFFFF_FFFFL;

    /** Lowest protocol version whose drivers confirm commits on request. */
    private static final int CONFIRMING_VERSION = 4;

    /** Encodes this side's hello. */
    public static byte[] of(long driverId, RejectCode rejectCode) {
        return of(driverId, rejectCode, Challenge.NONE, Proof.NONE, false);
    }

    /** Encodes this side's hello with a challenge and a proof. */
    public static byte[] of(
            long driverId,
            RejectCode rejectCode,
            Challenge challenge,
            Proof proof,
            boolean confirms) {
        return new Hello(Versions.OURS, rejectCode, driverId, challenge, proof, confirms).bytes();
    }

    /** Creates a hello without challenge, proof and confirmed commits. */
    public Hello(Versions versions, RejectCode rejectCode, long driverId) {
        this(versions, rejectCode, driverId, Challenge.NONE, Proof.NONE, false);
    }

    /** Encodes the hello; without a proof it fits into a request. */
    public byte[] bytes() {
        byte[] bytes = new byte[HelloEncoder.BLOCK_LENGTH];
        new HelloEncoder()
                .wrap(new UnsafeBuffer(bytes), 0)
                .magic(MAGIC)
                .protocolVersion(versions.lowest())
                .rejectCode(rejectCode)
                .driverId(driverId)
                .highestVersion(versions.highest())
                .key(challenge.key() & UNSIGNED)
                .otherKey(challenge.otherKey() & UNSIGNED)
                .nonceHigh(challenge.nonceHigh())
                .nonceLow(challenge.nonceLow())
                .confirms(confirms ? BooleanType.T : BooleanType.F)
                .proof1(proof.first())
                .proof2(proof.second())
                .proof3(proof.third())
                .proof4(proof.fourth());
        return proof.equals(Proof.NONE) ? Arrays.copyOf(bytes, REQUEST_LENGTH) : bytes;
    }

    /**
     * Reads a peer's hello.
     *
     * @param bytes bytes as received.
     * @return the hello, or null if it is not from a Verbus driver.
     */
    public static Hello read(byte[] bytes) {
        if (bytes.length < LEAST_LENGTH) {
            return null;
        }
        // Fields that an older release does not send read as zeros.
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
                hello.driverId(),
                new Challenge(
                        (int) hello.key(),
                        (int) hello.otherKey(),
                        hello.nonceHigh(),
                        hello.nonceLow()),
                new Proof(hello.proof1(), hello.proof2(), hello.proof3(), hello.proof4()),
                hello.confirmsRaw() == BooleanType.T.value());
    }

    /** Returns the peer's side of the handshake. */
    public Side side(InetAddress address) {
        return side(address, versions, driverId, challenge);
    }

    /** Returns this driver's side of the handshake. */
    public static Side own(InetAddress address, long driverId, Challenge challenge) {
        return side(address, Versions.OURS, driverId, challenge);
    }

    private static Side side(
            InetAddress address, Versions versions, long driverId, Challenge challenge) {
        return new Side(address, versions.lowest(), versions.highest(), driverId, challenge);
    }

    /** Returns whether the peer has no version in common with this release. */
    public boolean isStrange() {
        return versions.isStrangeTo(Versions.OURS);
    }

    /** Returns the highest common version. */
    public int version() {
        return versions.common(Versions.OURS);
    }

    /**
     * Explains why a driver with {@code rdma.order=safe} cannot use this peer.
     *
     * @param peer name of the peer in messages.
     * @return the explanation, or null if a driver can use the peer.
     */
    public String cannotConfirm(String peer) {
        return version() >= CONFIRMING_VERSION
                ? null
                : peer
                        + " runs a release that cannot confirm writes, which rdma.order=safe"
                        + " requires: update that driver, or set rdma.order to check";
    }

    /** Converts a peer's number to a code; unspecified if the number is unknown. */
    static RejectCode code(int raw) {
        return raw >= 0 && raw <= RejectCode.NOT_AUTHENTICATED.value()
                ? RejectCode.get(raw)
                : RejectCode.UNSPECIFIED;
    }
}
