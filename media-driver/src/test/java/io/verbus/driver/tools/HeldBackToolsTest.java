// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.FreePorts;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.logbuffer.BufferClaim;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** {@code verbus clients} and {@code verbus stat} agree on what holds a publication back. */
@Timeout(120)
class HeldBackToolsTest {
    private static final int STREAM = 10;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);

    private static DriverConfigBuilder config() {
        return Drivers.config().unblockTimeoutNs(TimeUnit.HOURS.toNanos(1));
    }

    private static String run(MediaDriver driver, String command, String... options) {
        String[] all = new String[options.length + 2];
        all[0] = "--dir";
        all[1] = driver.directory().toString();
        System.arraycopy(options, 0, all, 2, options.length);
        ToolRun run = ToolRun.of(command, all);
        assertEquals(0, run.status(), run.err());
        return run.out();
    }

    private static String stat(MediaDriver driver) {
        return run(driver, "stat", "--streams");
    }

    /** Returns the output of a tool in one line, because the tables wrap sentences. */
    private static String clients(MediaDriver driver) {
        return run(driver, "clients").replaceAll("\\s+", " ");
    }

    private static String json(MediaDriver driver) {
        return run(driver, "stat", "--streams", "--json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void namesOpenClaimInsteadOfSubscriber(String media) throws IOException {
        String channel =
                media.equals("ipc")
                        ? "verbus:ipc"
                        : "verbus:udp?endpoint=127.0.0.1:" + FreePorts.next();
        BufferClaim claim = new BufferClaim();
        try (MediaDriver driver = MediaDriver.launchEmbedded(config());
                Bus bus = Bus.connect(Drivers.context(driver).clientName("fast"));
                Subscription fast = bus.addSubscription(channel, STREAM);
                Publication publication = bus.addPublication(channel, STREAM)) {
            Await.until("sent", () -> publication.offer(message) > 0);
            Await.until("read", () -> fast.poll((b, o, l, h) -> {}, 10) > 0);
            String position = Long.toString(publication.position());
            assertTrue(publication.tryClaim(100, claim) > 0);
            Pattern why =
                    Pattern.compile(
                            " blocked "
                                    + Pattern.quote(channel)
                                    + " a claim at position "
                                    + position
                                    + " has not been committed for \\d+ m?s: commit or abort it;"
                                    + " the driver revokes it after 3600000 ms"
                                    + " \\(unblock-timeout\\)");
            String held = "uncommitted claim at " + position;
            // The receiver may raise the limit meanwhile, so publishing goes on.
            Await.until(
                    () -> clients(driver) + stat(driver),
                    60,
                    () -> {
                        while (publication.offer(message) > 0) {
                            fast.poll((b, o, l, h) -> {}, 10);
                        }
                        return why.matcher(clients(driver)).find()
                                && stat(driver).contains(held + " (blocked)");
                    });
            assertFalse(clients(driver).contains("consume faster there"), clients(driver));
            assertTrue(json(driver).contains("\"heldBackBy\": \"" + held + "\""), json(driver));
            claim.commit();
            Await.until(
                    "free",
                    () -> {
                        fast.poll((b, o, l, h) -> {}, 100);
                        return !clients(driver).contains("a claim")
                                && !stat(driver).contains("claim");
                    });
        }
    }

    @Test
    void namesOpenClaimOfExclusivePublicationAndSlowSubscriberBeforeIt() {
        BufferClaim claim = new BufferClaim();
        try (MediaDriver driver = MediaDriver.launchEmbedded(config());
                Bus bus = Bus.connect(Drivers.context(driver).clientName("feed"));
                Subscription fast = bus.addSubscription("verbus:ipc", STREAM);
                Subscription slow = bus.addSubscription("verbus:ipc", STREAM);
                ExclusivePublication publication =
                        bus.addExclusivePublication("verbus:ipc", STREAM)) {
            Await.until("joined", () -> fast.isConnected() && slow.isConnected());
            Await.until("sent", () -> publication.offer(message) > 0);
            Await.until("read", () -> fast.poll((b, o, l, h) -> {}, 10) > 0);
            assertTrue(publication.tryClaim(100, claim) > 0);
            Await.until(
                    "the slow subscriber is named",
                    () -> stat(driver).contains("subscription " + slow.registrationId()));
            assertFalse(stat(driver).contains("claim"), stat(driver));
            Await.until("read", () -> slow.poll((b, o, l, h) -> {}, 10) > 0);
            Await.until(
                    () -> clients(driver),
                    60,
                    () ->
                            clients(driver)
                                    .contains(
                                            "commit or abort it; the driver does not revoke claims"
                                                    + " of an exclusive publication"));
            claim.commit();
        }
    }

    @Test
    void namesLingeringSubscriber() {
        try (MediaDriver driver =
                        MediaDriver.launchEmbedded(
                                config().untetheredWindowLimitNs(1_000_000)
                                        .untetheredLingerNs(TimeUnit.HOURS.toNanos(1)));
                Bus bus = Bus.connect(Drivers.context(driver).clientName("feed"));
                Subscription slow = bus.addSubscription("verbus:ipc?tether=false", STREAM);
                Subscription fast = bus.addSubscription("verbus:ipc", STREAM);
                Publication publication = bus.addPublication("verbus:ipc", STREAM)) {
            Await.until("joined", () -> fast.isConnected() && slow.isConnected());
            Await.until(
                    () -> stat(driver),
                    60,
                    () -> {
                        while (publication.offer(message) > 0) {
                            fast.poll((b, o, l, h) -> {}, 10);
                        }
                        fast.poll((b, o, l, h) -> {}, 10);
                        return stat(driver).contains("(lingering) (blocked)");
                    });
            String name = "subscription " + slow.registrationId() + " of client " + bus.clientId();
            assertTrue(stat(driver).contains(name + " (lingering) (blocked)"), stat(driver));
            String why = clients(driver);
            assertTrue(why.contains("by " + name + " (feed), "), why);
            assertTrue(why.contains("it is untethered and detached, but its position"), why);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "verbus:udp?endpoint=127.0.0.1:PORT",
                "aeron:udp?endpoint=127.0.0.1:PORT",
                "verbus:udp?control=127.0.0.1:PORT|control-mode=dynamic",
                "verbus:udp?control-mode=manual",
                "verbus:ipc"
            })
    void doesNotCallUnconnectedPublicationBlocked(String template) throws IOException {
        String channel = template.replace("PORT", Integer.toString(FreePorts.next()));
        try (MediaDriver driver = MediaDriver.launchEmbedded(config());
                Bus bus = Bus.connect(Drivers.context(driver).clientName("feed"));
                Publication publication = bus.addPublication(channel, STREAM)) {
            if (channel.contains("manual")) {
                publication.addDestination("verbus:udp?endpoint=127.0.0.1:" + FreePorts.next());
            }
            if (!channel.contains("ipc")) {
                bus.addSubscription(channel.replaceFirst("^[a-z]+:", spy(channel)), STREAM);
            }
            Await.until("shown", () -> clients(driver).contains(" waiting " + channel));
            String json = json(driver);
            assertTrue(json.contains("\"heldBackBy\": \"\""), json);
            assertTrue(json.contains("\"connected\": 0, \"blocked\": 0"), json);
            List<String> rows = stat(driver).lines().filter(row -> row.startsWith("pub")).toList();
            assertEquals(1, rows.size(), rows.toString());
            assertTrue(
                    rows.getFirst()
                            .endsWith(channel.contains("ipc") ? "no subscribers" : "not connected"),
                    rows.toString());
        }
    }

    private static String spy(String channel) {
        return channel.startsWith("aeron:") ? "aeron-spy:aeron:" : "verbus-spy:";
    }
}
