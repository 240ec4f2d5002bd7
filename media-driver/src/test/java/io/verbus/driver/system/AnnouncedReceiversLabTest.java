// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.ExclusivePublication;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Receivers that announce themselves over a device: to dynamic publications, and to responses. */
@Tag("lab")
@Tag("slow")
@Timeout(300)
class AnnouncedReceiversLabTest {
    private static final int CONTROL = 24_380;
    private static final int PORT = 24_381;
    private static final int STREAM = 1;
    private static final int REQUESTS = 2;
    private static final int RESPONSES = 3;
    private static final String ANNOUNCED = "rdma: receiver announcements";

    @TempDir private static Path folder;

    @AfterEach
    void restore() {
        if (Wire.isHere()) {
            Wire.restore();
        }
    }

    private static String control() {
        return "control=" + Host.addressA() + ":" + CONTROL;
    }

    private static ExclusivePublication publish(Host a) {
        return a.connect()
                .addExclusivePublication(
                        Host.overWire("verbus:rdma?" + control() + "|control-mode=dynamic")
                                + "|term-length=64k|fc=min",
                        STREAM);
    }

    private static Subscription subscribe(Host b, int port) {
        return b.connect().addSubscription(b.channel(port, control()), STREAM);
    }

    @Test
    void addsAndRemovesReceiversDynamically() {
        Script script = Script.upTo(95, 1000);
        try (Host b = Host.b();
                Host c = Host.b();
                Host a = Host.a();
                ExclusivePublication out = publish(a);
                Subscription first = subscribe(b, PORT)) {
            Await.until("the first", out::isConnected);
            Writer writer = new Writer(out, script);
            Reader reader = Reader.fromFirst(script);
            reader.exchange(writer, first, 500);
            Subscription second = subscribe(c, PORT + 1);
            Await.until("both", 60, () -> a.counters("connected to ").equals(List.of(1L, 1L)));
            Reader late = Reader.fromAny(script);
            Await.until(
                    "both read",
                    () -> {
                        writer.offer();
                        first.poll(reader.fragments(), 64);
                        second.poll(late.fragments(), 64);
                        return late.count() > 1000;
                    });
            second.close();
            Await.until(
                    "one is left",
                    () -> {
                        writer.offer();
                        first.poll(reader.fragments(), 64);
                        return a.counters("connected to ").size() == 1;
                    });
            long announced = a.counters(ANNOUNCED).getFirst();
            reader.exchange(writer, first, writer.next() + 500);
            assertEquals(List.of(announced), a.counters(ANNOUNCED), "who is sent to is quiet");
        }
    }

    /** The receiver's driver is killed and replaced. */
    @Test
    void reconnectsReceiverOfKilledDriver() {
        Path directory =
                Path.of("/dev/shm/verbus-system-test-announced-" + ProcessHandle.current().pid());
        String channel =
                "verbus:rdma?endpoint=" + Host.addressB() + ":" + (PORT + 2) + "|" + control();
        Script script = Script.upTo(96, 1000);
        try (Host a =
                        Host.start(
                                Host.addressA(),
                                builder ->
                                        builder.transportOption("rdma.resume-timeout", "2s")
                                                .transportOption("rdma.ack-timeout", "100ms"));
                ExclusivePublication out = publish(a)) {
            a.expectLoss();
            a.expect("nothing listens at");
            a.expect("has restarted");
            Writer writer = new Writer(out, script);
            for (int round = 0; round < 2; round++) {
                try (Child driver =
                        Child.driver(List.of(), folder, directory, "client-liveness-timeout=20s")) {
                    BusContext context =
                            new BusContext()
                                    .directoryName(directory.toString())
                                    .errorHandler(error -> {})
                                    .driverTimeout(Duration.ofSeconds(60));
                    try (Bus bus = Bus.connect(context)) {
                        Subscription in = bus.addSubscription(channel, STREAM);
                        Reader reader = Reader.fromAny(script);
                        Await.until(
                                "read",
                                60,
                                () -> {
                                    writer.offer();
                                    in.poll(reader.fragments(), 64);
                                    return reader.count() > 300;
                                });
                        driver.kill();
                    }
                }
            }
        }
    }

    @Test
    void resumesStreamToDynamicReceiverAfterOutage() {
        Wire.assumeHere();
        Script script = Script.upTo(97, 1000);
        try (Host b = patient(Host.addressB());
                Host a = patient(Host.addressA());
                ExclusivePublication out = publish(a);
                Subscription in = subscribe(b, PORT + 3)) {
            Await.until("connected", out::isConnected);
            Writer writer = new Writer(out, script);
            Reader reader = Reader.fromFirst(script);
            reader.exchange(writer, in, 500);
            Image image = in.imageBySessionId(out.sessionId());
            Wire.cut();
            a.awaitError("is lost");
            b.awaitError("is lost");
            assertTrue(out.isConnected(), "publishers see back pressure");
            Wire.restore();
            a.awaitCounter(": resumes", resumes -> resumes == 1);
            reader.exchange(writer, in, 1000);
            assertEquals(image, in.imageBySessionId(out.sessionId()));
        }
    }

    private static Host patient(String address) {
        return Host.start(
                        address,
                        builder ->
                                builder.transportOption("rdma.resume-timeout", "200s")
                                        .transportOption("rdma.probe-timeout", "10s")
                                        .transportOption("rdma.ack-timeout", "100ms"))
                .expectLoss();
    }

    /** Host A sends requests, host B responds; the wire is cut in between. */
    @Test
    void deliversResponsesToRequesterDespiteOutage() {
        Wire.assumeHere();
        List<Image> images = new CopyOnWriteArrayList<>();
        try (Host b = patient(Host.addressB());
                Host a = patient(Host.addressA());
                Bus answering = b.connect();
                Subscription requests =
                        answering.addSubscription(
                                b.channel(PORT + 4), REQUESTS, images::add, image -> {})) {
            String from =
                    "control=" + Host.addressB() + ":" + (PORT + 5) + "|control-mode=response";
            List<Requester> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                all.add(new Requester(a, from, b.channel(PORT + 4)));
            }
            Await.until("three requesters", 60, () -> images.size() == 3);
            List<Publication> answers = new ArrayList<>();
            for (Image image : images) {
                answers.add(
                        answering.addPublication(
                                "verbus:rdma?"
                                        + from
                                        + "|interface="
                                        + Host.addressB()
                                        + "|term-length=64k|response-correlation-id="
                                        + image.imageId(),
                                RESPONSES));
            }
            Await.until(
                    "all connected",
                    60,
                    () -> all.stream().allMatch(each -> each.responses.isConnected()));
            long served = exchange(all, requests, images, answers, 0);
            Wire.cut();
            a.awaitError("is lost");
            b.awaitError("is lost");
            Wire.restore();
            exchange(all, requests, images, answers, served);
        }
    }

    private static final class Requester {
        final Subscription responses;
        final Publication requests;
        long answered;

        Requester(Host a, String from, String to) {
            Bus bus = a.connect();
            responses =
                    bus.addSubscription(
                            "verbus:rdma?endpoint=" + Host.addressA() + ":0|" + from, RESPONSES);
            requests =
                    bus.addPublication(
                            Host.overWire(to)
                                    + "|term-length=64k|response-correlation-id="
                                    + responses.registrationId(),
                            REQUESTS);
        }
    }

    /** Each sends a hundred requests, and gets its own numbers back. */
    private static long exchange(
            List<Requester> all,
            Subscription requests,
            List<Image> images,
            List<Publication> answers,
            long from) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[16]);
        for (long i = from; i < from + 100; i++) {
            for (int who = 0; who < all.size(); who++) {
                Requester requester = all.get(who);
                message.putLong(0, who);
                message.putLong(8, i);
                Await.until("asked", 60, () -> requester.requests.offer(message, 0, 16) > 0);
                UnsafeBuffer answer = new UnsafeBuffer(new byte[16]);
                int[] answering = {-1};
                Await.until(
                        "a request",
                        60,
                        () -> {
                            for (int each = 0; each < images.size(); each++) {
                                int number = each;
                                images.get(each)
                                        .poll(
                                                (buffer, at, length, header) -> {
                                                    answer.putBytes(0, buffer, at, length);
                                                    answering[0] = number;
                                                },
                                                1);
                            }
                            return answering[0] >= 0;
                        });
                Await.until(
                        "answered", 60, () -> answers.get(answering[0]).offer(answer, 0, 16) > 0);
                long expected = i;
                long whose = who;
                Await.until(
                        "an answer",
                        60,
                        () ->
                                requester.responses.poll(
                                                (buffer, at, length, header) -> {
                                                    assertEquals(whose, buffer.getLong(at));
                                                    assertEquals(expected, buffer.getLong(at + 8));
                                                    requester.answered++;
                                                },
                                                10)
                                        > 0);
            }
        }
        for (Requester each : all) {
            assertEquals(from + 100, each.answered);
        }
        return from + 100;
    }

    /** Aeron's client sends requests and responses over UDP, as it believes. */
    @Test
    void unmodifiedProgramsExchangeRequestsOverRdma() {
        String networks = Host.addressA() + "," + Host.addressB();
        try (Host b =
                        Host.start(
                                Host.addressB(),
                                each -> each.transportOption("rdma.networks", networks));
                Host a =
                        Host.start(
                                Host.addressA(),
                                each -> each.transportOption("rdma.networks", networks));
                Aeron asking = aeron(a);
                Aeron answering = aeron(b)) {
            String requestChannel = "aeron:udp?endpoint=" + Host.addressB() + ":" + (PORT + 6);
            String responseChannel =
                    "aeron:udp?control-mode=response|control=" + Host.addressB() + ":" + (PORT + 7);
            io.aeron.Subscription requests = answering.addSubscription(requestChannel, REQUESTS);
            io.aeron.Subscription responses = asking.addSubscription(responseChannel, RESPONSES);
            io.aeron.Publication out =
                    asking.addPublication(
                            Host.overWire(requestChannel)
                                    + "|term-length=64k|response-correlation-id="
                                    + responses.registrationId(),
                            REQUESTS);
            Await.until("a requester", 60, () -> requests.isConnected() && out.isConnected());
            io.aeron.Publication answers =
                    answering.addPublication(
                            responseChannel
                                    + "|term-length=64k|response-correlation-id="
                                    + requests.imageAtIndex(0).correlationId(),
                            RESPONSES);
            Await.until("connected", 60, responses::isConnected);
            UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
            message.putLong(0, 77);
            Await.until("answered", 60, () -> answers.offer(message) > 0);
            long[] received = {0};
            Await.until(
                    "received",
                    60,
                    () ->
                            responses.poll(
                                            (buffer, at, length, header) ->
                                                    received[0] = buffer.getLong(at),
                                            1)
                                    > 0);
            assertEquals(77, received[0]);
            assertEquals(List.of(), a.counters("udp: "), "the UDP transport was opened");
            assertEquals(List.of(), b.counters("udp: "), "the UDP transport was opened");
        }
    }

    private static Aeron aeron(Host host) {
        return Aeron.connect(
                new Aeron.Context()
                        .aeronDirectoryName(host.directory().toString())
                        .driverTimeoutMs(Host.PATIENCE.toMillis()));
    }
}
