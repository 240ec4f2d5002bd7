// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

class HandshakeTest {
    private static final int VERSION = 4;
    private static final InetAddress A = InetAddress.ofLiteral("10.0.0.1");
    private static final InetAddress B = InetAddress.ofLiteral("10.0.0.2");
    private static final Key OLD = key(1);
    private static final Key NEW = key(2);

    private static Key key(int seed) {
        byte[] bytes = new byte[Key.LENGTH];
        Arrays.fill(bytes, (byte) seed);
        return new Key(bytes);
    }

    private static Side side(InetAddress address, long driverId, Challenge challenge) {
        return new Side(address, 3, 4, driverId, challenge);
    }

    /** Runs a handshake between two honest sides; returns whether both succeed. */
    private static boolean agree(List<Key> ofInitiator, List<Key> ofAcceptor) {
        InitiatorHandshake initiator = new InitiatorHandshake(ofInitiator);
        AcceptorHandshake acceptor = AcceptorHandshake.of(ofAcceptor, initiator.challenge());
        if (acceptor == null) {
            return false;
        }
        Side a = side(A, 1, initiator.challenge());
        Side b = side(B, 2, acceptor.challenge());
        Proof proof = initiator.answer(VERSION, a, b, acceptor.proof(VERSION, a, b));
        return proof != null && acceptor.awaited(VERSION, a, b).isSame(proof);
    }

    @Test
    void succeedsWithSharedKey() {
        assertTrue(agree(List.of(OLD), List.of(OLD)));
        assertTrue(agree(List.of(OLD, NEW), List.of(NEW)));
        assertTrue(agree(List.of(NEW), List.of(OLD, NEW)));
        assertTrue(agree(List.of(OLD, NEW), List.of(NEW, OLD)));
        assertFalse(agree(List.of(OLD), List.of(NEW)));
    }

    @Test
    void needsNoProofWithoutKeys() {
        InitiatorHandshake initiator = new InitiatorHandshake(List.of());
        assertFalse(initiator.isNeeded());
        assertTrue(initiator.challenge().isNone());
        assertNull(AcceptorHandshake.UNNEEDED.awaited(VERSION, null, null));
        assertEquals(Proof.NONE, AcceptorHandshake.UNNEEDED.proof(VERSION, null, null));
    }

    @Test
    void usesNewChallengeEachTime() {
        assertNotEquals(
                new InitiatorHandshake(List.of(OLD)).challenge(),
                new InitiatorHandshake(List.of(OLD)).challenge());
    }

    /**
     * A proof is valid for one handshake, direction, version, pair of hosts and pair of drivers.
     */
    @Test
    void rejectsProofOfAnotherHandshake() {
        InitiatorHandshake initiator = new InitiatorHandshake(List.of(OLD));
        AcceptorHandshake acceptor = AcceptorHandshake.of(List.of(OLD), initiator.challenge());
        Side a = side(A, 1, initiator.challenge());
        Side b = side(B, 2, acceptor.challenge());
        Proof right = acceptor.proof(VERSION, a, b);
        assertNotNull(initiator.answer(VERSION, a, b, right));
        Challenge other = Challenge.of(OLD.id(), 0);
        List<Side> wrongA =
                List.of(
                        side(B, 1, initiator.challenge()),
                        side(A, 3, initiator.challenge()),
                        new Side(A, 3, 3, 1, initiator.challenge()),
                        side(A, 1, other));
        for (Side wrong : wrongA) {
            assertNull(initiator.answer(VERSION, a, b, acceptor.proof(VERSION, wrong, b)));
        }
        List<Side> wrongB =
                List.of(
                        side(A, 2, acceptor.challenge()),
                        side(B, 3, acceptor.challenge()),
                        new Side(B, 4, 4, 2, acceptor.challenge()),
                        side(B, 2, other));
        for (Side wrong : wrongB) {
            assertNull(initiator.answer(VERSION, a, wrong, right));
            assertNotEquals(acceptor.awaited(VERSION, a, b), acceptor.awaited(VERSION, a, wrong));
        }
        assertNull(initiator.answer(VERSION + 1, a, b, right));
        // In the other direction: one side's proof is not valid as the other side's.
        assertNotEquals(right, acceptor.awaited(VERSION, a, b));
        assertNull(initiator.answer(VERSION, a, b, acceptor.awaited(VERSION, a, b)));
        assertNull(initiator.answer(VERSION, a, b, Proof.NONE));
    }

    /** A man in the middle makes a driver answer its own challenge. */
    @Test
    void rejectsReflectedProof() {
        InetAddress midst = InetAddress.ofLiteral("10.0.0.9");
        InitiatorHandshake initiator = new InitiatorHandshake(List.of(OLD));
        AcceptorHandshake reflected = AcceptorHandshake.of(List.of(OLD), initiator.challenge());
        // For the accepting driver, the peer is the man in the middle.
        Proof proof =
                reflected.proof(
                        VERSION,
                        side(midst, 1, initiator.challenge()),
                        side(A, 1, reflected.challenge()));
        assertNull(
                initiator.answer(
                        VERSION,
                        side(A, 1, initiator.challenge()),
                        side(midst, 1, reflected.challenge()),
                        proof));
    }

    @Property(tries = 300)
    void comparesEveryWordOfProof(
            @ForAll long first, @ForAll long second, @ForAll long third, @ForAll long fourth) {
        Proof proof = new Proof(first, second, third, fourth);
        assertTrue(proof.isSame(new Proof(first, second, third, fourth)));
        assertFalse(proof.isSame(new Proof(first ^ 1, second, third, fourth)));
        assertFalse(proof.isSame(new Proof(first, second ^ 1L << 63, third, fourth)));
        assertFalse(proof.isSame(new Proof(first, second, third ^ 2, fourth)));
        assertFalse(proof.isSame(new Proof(first, second, third, fourth ^ 1)));
        assertTrue(proof.isHalf(first, second));
        assertFalse(proof.isHalf(first ^ 4, second));
        assertFalse(proof.isHalf(first, second ^ 4));
    }

    @Test
    void hidesSecretsInToString() {
        String words = OLD + " " + new Proof(77_777, 88_888, 1, 2);
        assertFalse(words.contains("0101"), words);
        assertFalse(words.contains("77777"), words);
    }

    /** Compares with the result of openssl. */
    @Test
    void computesHmacSha256() {
        // printf '\023verbus rdma connect' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101…
        assertEquals(HMAC, hex(OLD.code(Key.Purpose.CONNECT, new byte[0])));
    }

    private static final String HMAC =
            "fab795bbd4afacde2eeefcef4816fa384fafbe4707e56461ee5da22d1baa28de";

    private static String hex(Proof proof) {
        return "%016x%016x%016x%016x"
                .formatted(proof.first(), proof.second(), proof.third(), proof.fourth());
    }
}
