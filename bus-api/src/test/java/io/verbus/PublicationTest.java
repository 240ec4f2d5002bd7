// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.TestLogs;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class PublicationTest {
    private final Stream stream = new Stream();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[9000]);
    private final BufferClaim claim = new BufferClaim();

    @AfterEach
    void close() {
        stream.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void returnsErrorCodeIfMessageCannotBeSent(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        assertEquals(Publication.BACK_PRESSURED, publication.offer(message, 0, 10));
        assertEquals(Publication.BACK_PRESSURED, publication.tryClaim(10, claim));
        stream.connected(false);
        assertFalse(publication.isConnected());
        assertEquals(Publication.NOT_CONNECTED, publication.offer(message, 0, 10));
        assertEquals(Publication.NOT_CONNECTED, publication.tryClaim(10, claim));
        stream.connected(true);
        assertTrue(publication.isConnected());
        stream.limit.setVolatile(64);
        assertEquals(64, publication.offer(message, 0, 10));
        assertEquals(Publication.BACK_PRESSURED, publication.offer(message, 0, 10));
        assertEquals(64, publication.position());
        assertEquals(64, publication.positionLimit());
        publication.close();
        assertEquals(Publication.CLOSED, publication.offer(message, 0, 10));
        assertEquals(Publication.CLOSED, publication.tryClaim(10, claim));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reportsStreamParametersAndLimits(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        assertEquals(TestLogs.SESSION_ID, publication.sessionId());
        assertEquals(TestLogs.STREAM_ID, publication.streamId());
        assertEquals(1, publication.registrationId());
        assertEquals(Stream.MTU - 32, publication.maxPayloadLength());
        assertEquals(Stream.TERM_LENGTH / 8, publication.maxMessageLength());
        assertEquals(Stream.TERM_LENGTH, publication.termLength());
        stream.limit.setVolatile(1 << 20);
        assertThrows(
                IllegalArgumentException.class,
                () -> publication.offer(message, 0, publication.maxMessageLength() + 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> publication.tryClaim(publication.maxPayloadLength() + 1, claim));
        assertTrue(publication.offer(message, 0, publication.maxMessageLength()) > 0);
        assertTrue(publication.tryClaim(publication.maxPayloadLength(), claim) > 0);
        claim.abort();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void releasesItselfOnceDespiteSecondClose(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        assertFalse(publication.isClosed());
        publication.close();
        publication.close();
        assertTrue(publication.isClosed());
        assertEquals(List.of(publication), stream.released);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void returnsAdminActionWhenTermEnds(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        stream.limit.setVolatile(1 << 20);
        long last = 0;
        long result;
        while ((result = publication.offer(message, 0, 1000)) > 0) {
            last = result;
        }
        assertEquals(Publication.ADMIN_ACTION, result);
        assertTrue(last <= Stream.TERM_LENGTH);
        assertTrue(publication.offer(message, 0, 1000) > Stream.TERM_LENGTH);
    }
}
