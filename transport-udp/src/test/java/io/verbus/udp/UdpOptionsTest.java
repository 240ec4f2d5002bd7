// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.TransportException;
import io.verbus.udp.common.UdpOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options are checked when a driver starts, even if it never has a UDP channel. */
class UdpOptionsTest {
    @ParameterizedTest
    @CsvSource({
        "window, abc",
        "publication-window, -1",
        "receive-buffer, 1",
        "send-buffer, 2g",
        "congestion-control, none",
        "gso, yes",
        "gro, 1",
        "max-images, 0",
        "max-images-per-host, many",
        "max-term-length, 2g",
        "max-image-memory, 1k",
        "max-total-image-memory, 8x",
        "max-receivers, 0",
        "status-interval, 200",
        "setup-interval, 0s",
        "heartbeat-interval, 1h",
        "connection-timeout, 1ms",
        "image-timeout, never",
        "linger, 1h",
        "nak-delay, 1h",
        "nak-retry, 0ns",
        "retransmit-linger, 0ns",
        "max-resend, 257",
        "flow-control, fast",
        "unicast-flow-control, MIN",
        "flow-control-tag, x",
        "flow-control-group-size, 65",
        "receiver-timeout, 1h",
        "group-tag, 9223372036854775808",
        "nak-backoff, 0s"
    })
    void rejectsInvalidValueBeforeTransportIsOpened(String name, String value) {
        String message =
                assertThrows(
                                TransportException.class,
                                () ->
                                        new UdpTransportProvider()
                                                .check(
                                                        (asked, preset) ->
                                                                asked.equals("udp." + name)
                                                                        ? value
                                                                        : preset))
                        .getMessage();
        assertTrue(message.startsWith("option udp." + name + " is '" + value + "': "), message);
    }

    @Test
    void acceptsLongestTerms() {
        UdpOptions options =
                UdpOptions.of(
                        (asked, preset) -> asked.equals("udp.max-term-length") ? "1g" : preset);
        assertEquals(1 << 30, options.maxTermLength());
        new UdpTransportProvider().check((asked, preset) -> preset);
    }
}
