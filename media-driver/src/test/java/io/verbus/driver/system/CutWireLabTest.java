// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.Subscription;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;

/** The lab's wire is cut under a stream: both sides notice, and find together again. */
@Tag("lab")
@Timeout(240)
class CutWireLabTest {
    @AfterEach
    void restore() throws Exception {
        if (isLab()) {
            wire("restore");
        }
    }

    private static boolean isLab() {
        return "1".equals(System.getenv("VERBUS_LAB"));
    }

    private static void wire(String fault) throws Exception {
        Process process = new ProcessBuilder("wire", fault).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
    }

    @Test
    void connectsAnewWhenTheWireIsRestored() throws Exception {
        assumeTrue(isLab(), "only the lab has a wire to cut");
        Script script = Script.upTo(60, 1000);
        try (Host b = Host.b();
                Host a = Host.a()) {
            String channel = b.channel(24_334, "term-length=64k");
            Subscription in = b.connect().addSubscription(channel, 1);
            Publication out = a.connect().addPublication(Host.overWire(channel), 1);
            Writer writer = new Writer(out, script).write(100);
            Reader before = Reader.fromFirst(script);
            before.read(in, 100);
            Image lost = in.imageBySessionId(out.sessionId());

            wire("cut");
            a.expectOfClients("is lost");
            a.expectOfClients("cannot connect to");
            a.expect("cannot connect to");
            a.awaitError("is lost");
            b.awaitError("is lost");
            Await.until("the publisher to be told", () -> !out.isConnected());
            before.poll(in, "the end of the image", lost::isClosed);
            assertTrue(lost.isEndOfStream(), lost::toString);

            wire("restore");
            Await.until("a connection anew", out::isConnected);
            Await.until("an image anew", () -> in.imageCount() == 1);
            Image image = in.imageBySessionId(out.sessionId());
            assertTrue(image.imageId() != lost.imageId(), image::toString);
            writer.write(writer.next() + 50);
            Reader after = Reader.fromAny(script);
            after.poll(in, "all that was offered", () -> after.next() == writer.next());
        }
    }
}
