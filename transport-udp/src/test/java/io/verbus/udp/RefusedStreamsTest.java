// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.udp.wire.ErrorFrame;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.SetupFrame;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Tests that senders of refused streams, and the receiver's operator, get the reason. */
@Timeout(60)
class RefusedStreamsTest {
    private static final int STREAM = 7;

    @TempDir Path folder;
    private final RawSocket sender = new RawSocket();
    private TestDriver driver;
    private int port;

    private void open(String keys, String... options) throws IOException {
        driver = new TestDriver(1, folder, options);
        try (RawSocket free = new RawSocket()) {
            port = free.port();
        }
        driver.subscribe(ChannelUri.parse("verbus:udp?endpoint=127.0.0.1:" + port + keys), STREAM);
        driver.turn(2);
    }

    @AfterEach
    void close() throws IOException {
        driver.close();
        sender.close();
    }

    private void setup(int session) {
        sender.send(port, Frame.setup(sender.buffer, session, STREAM));
        driver.turn(2);
    }

    private List<String> errorFrames() {
        List<String> texts = new ArrayList<>();
        int length;
        while ((length = sender.receive()) > 0) {
            if (Frames.type(sender.buffer) == Frames.ERROR) {
                texts.add(
                        ErrorFrame.sessionId(sender.buffer)
                                + " "
                                + ErrorFrame.text(sender.buffer, length));
            }
        }
        return texts;
    }

    @ParameterizedTest
    @CsvSource({
        "udp.max-images-per-host, 2",
        "udp.max-images, 2",
        "udp.max-image-memory, 1m",
        "udp.max-total-image-memory, 1m"
    })
    void tellsSenderBeyondLimitWhichOptionToRaise(String option, String limit) throws IOException {
        open("", option, limit);
        for (int session = 1; session <= 8; session++) {
            setup(session);
        }
        driver.turn(20);
        int images = driver.images.size();
        List<String> texts = errorFrames();
        assertTrue(images >= 2 && images < 8, images + " images");
        assertEquals(8 - images, driver.counter("set-ups refused"));
        assertTrue(!texts.isEmpty(), "no error frame");
        assertTrue(texts.getFirst().startsWith((images + 1) + " "), texts.toString());
        texts.forEach(text -> assertTrue(text.contains(option), text));
        assertEquals(1, driver.errors.size(), driver.errors.toString());
        assertTrue(driver.errors.getFirst().contains(option), driver.errors.getFirst());
        assertTrue(driver.errors.getFirst().contains("127.0.0.1"), driver.errors.getFirst());
    }

    @Test
    void namesOptionToRaiseToSenderOfTooLongTerms() throws IOException {
        open("", "udp.max-term-length", "64k");
        Frame.setup(sender.buffer, 1, STREAM);
        sender.buffer.putInt(28, 128 * 1024);
        sender.send(port, SetupFrame.LENGTH);
        driver.turn(20);
        List<String> texts = errorFrames();
        assertEquals(1, texts.size(), texts.toString());
        assertTrue(texts.getFirst().contains("udp.max-term-length"), texts.getFirst());
    }

    @Test
    void reportsWindowToSenderOfTooLargeMtu() throws IOException {
        open("|window=1376");
        setup(1);
        driver.turn(20);
        List<String> texts = errorFrames();
        assertEquals(1, texts.size(), texts.toString());
        assertTrue(
                texts.getFirst().contains("mtuLength=1408 > initialWindowLength=1376"),
                texts.getFirst());
    }

    /** A setup of 40 bytes with a forged source must not cause much traffic. */
    @Test
    void limitsRateOfErrorFrames() throws IOException {
        open("", "udp.max-images-per-host", "1");
        for (int session = 1; session <= 2_000; session++) {
            sender.send(port, Frame.setup(sender.buffer, session, STREAM));
            driver.turn();
        }
        driver.turn(50);
        List<String> texts = errorFrames();
        assertTrue(!texts.isEmpty() && texts.size() <= 16, texts.size() + " answers");
        assertTrue(texts.getFirst().length() < 200, texts.getFirst());
        driver.turn(100);
        setup(3_000);
        driver.turn(2);
        texts = errorFrames();
        assertEquals(1, texts.size(), "in the next interval");
    }

    @Test
    void acceptsThousandsOfStreamsFromOneHost() throws IOException {
        open("");
        int streams = 600;
        for (int session = 1; session <= streams; session++) {
            sender.send(port, Frame.setup(sender.buffer, session, STREAM));
            driver.turn();
        }
        driver.turn(streams);
        assertEquals(streams, driver.images.size());
        assertEquals(List.of(), driver.errors);
    }
}
