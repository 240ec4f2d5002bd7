// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.driver.Await;
import io.verbus.rdma.common.Hello;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Which hosts may connect to a driver, over real devices. */
@Tag("lab")
@Timeout(120)
@Tag("slow")
class AllowListLabTest {
    private static final int PORT = 24_341;
    private static final int STREAM = 1;
    private static final String COUNTER = "connections refused by verbus.rdma.allow";

    private static Host hostB(String allowed) {
        return Host.start(
                Host.addressB(), builder -> builder.transportOption("rdma.allow", allowed));
    }

    @Test
    void rejectsPeerThatIsNotAllowed() {
        try (Host b = hostB("192.0.2.0/24,2001:db8::/32");
                Subscription in = b.connect().addSubscription(b.channel(PORT), STREAM);
                RawPeer raw = new RawPeer().connect(Host.addressB(), PORT, RawPeer.goodHello())) {
            assertTrue(raw.end().startsWith("REJECTED"), raw.end());
            Hello answer = Hello.read(raw.answer());
            assertNotNull(answer);
            assertEquals(RejectCode.NOT_ALLOWED, answer.rejectCode());
            b.awaitError("a connection from " + Host.addressA() + " to " + Host.addressB());
            b.awaitCounter(COUNTER, value -> value == 1);
            assertTrue(in.hasNoImages());
        }
    }

    @Test
    void reportsDisallowedHostToPublisher() {
        List<String> refusals = new CopyOnWriteArrayList<>();
        try (Host b = hostB("192.0.2.1");
                Host a = Host.a();
                Bus publisher =
                        a.connect(
                                context ->
                                        context.publicationErrorHandler(
                                                (publication, code, message) ->
                                                        refusals.add(message)))) {
            b.expect("a connection from " + Host.addressA() + " to " + Host.addressB());
            a.expect("does not allow this host");
            b.connect().addSubscription(b.channel(PORT), STREAM);
            Publication out = publisher.addPublication(Host.overWire(b.channel(PORT)), STREAM);
            Await.until(
                    "the publisher to be told",
                    () -> refusals.stream().anyMatch(r -> r.contains("does not allow this host")));
            assertFalse(out.isConnected());
        }
    }

    @Test
    void carriesMessagesOfAllowedHost() {
        Script script = Script.upTo(20, 1000);
        try (Host b = hostB("192.0.2.0/24," + Host.addressA() + "/32");
                Host a = Host.a()) {
            Subscription in = b.connect().addSubscription(b.channel(PORT), STREAM);
            Publication out = a.connect().addPublication(Host.overWire(b.channel(PORT)), STREAM);
            Writer writer = new Writer(out, script);
            writer.write(200);
            Reader.fromFirst(script).read(in, 200);
            b.awaitCounter(COUNTER, value -> value == 0);
        }
    }
}
