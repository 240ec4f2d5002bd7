// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.FragmentAssembler;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.RegistrationException;
import io.verbus.Subscription;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Sends requests, or answers them, over UDP through the driver of the default directory. Each
 * requester receives only its own answers.
 *
 * <pre>
 *   requester ── requests ──▶ REQUESTS   the responder receives
 *   requester ◀── answers ─── ANSWERS    the responder sends from
 * </pre>
 *
 * <p>Arguments: {@code answer REQUESTS ANSWERS} or {@code ask REQUESTS ANSWERS COUNT}, each address
 * as {@code host:port} of the responder's host. The responder runs until it is interrupted. {@code
 * -Dmedia=rdma} uses RDMA.
 */
public final class RequestResponse {
    private static final String MEDIA = System.getProperty("media", "udp");
    private static final int REQUEST_STREAM = 1;
    private static final int ANSWER_STREAM = 2;

    private RequestResponse() {}

    public static void main(String[] args) throws InterruptedException {
        boolean isAsking = args.length == 4 && args[0].equals("ask");
        if (!isAsking && !(args.length == 3 && args[0].equals("answer"))) {
            System.err.println(
                    "usage: RequestResponse answer REQUESTS ANSWERS | ask REQUESTS ANSWERS COUNT");
            System.exit(2);
        }
        String requests = "verbus:" + MEDIA + "?endpoint=" + args[1];
        String answers = "verbus:" + MEDIA + "?control-mode=response|control=" + args[2];
        try (Bus bus = Bus.connect()) {
            if (isAsking) {
                ask(bus, requests, answers, Integer.parseInt(args[3]));
            } else {
                answer(bus, requests, answers);
            }
        } catch (BusException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    static void ask(Bus bus, String requests, String answers, int count)
            throws InterruptedException {
        Subscription responses = bus.addSubscription(answers, ANSWER_STREAM);
        Publication publication =
                bus.addPublication(
                        requests + "|response-correlation-id=" + responses.registrationId(),
                        REQUEST_STREAM);
        PatientSender sender = new PatientSender(publication);
        UnsafeBuffer request = new UnsafeBuffer(new byte[Integer.BYTES]);
        FragmentAssembler printer =
                new FragmentAssembler(
                        (buffer, offset, length, header) ->
                                System.out.println(
                                        buffer.getStringWithoutLengthAscii(offset, length)));
        IdleStrategy idle = new BackoffIdleStrategy();
        for (int i = 0; i < count; i++) {
            request.putInt(0, i);
            sender.send(request, Integer.BYTES);
            while (responses.poll(printer, 1) == 0) {
                idle.idle();
            }
        }
    }

    private static void answer(Bus bus, String requests, String answers) {
        Responder responder = new Responder(bus, requests, answers);
        IdleStrategy idle = new BackoffIdleStrategy();
        while (!bus.isClosed()) {
            idle.idle(responder.doWork(idle));
        }
    }

    /** A requester's image, and the publication that sends answers to the requester. */
    private record Requester(Image requests, Publication answers) {}

    /** Receives requests and answers them. Used by one thread. */
    static final class Responder {
        private final Bus bus;
        private final String channel;
        private final Subscription subscription;

        /** Images that have come or gone, in this order; the bus calls the handlers of images. */
        private final Queue<Image> changes = new ConcurrentLinkedQueue<>();

        private final Map<Integer, Requester> bySession = new HashMap<>();
        private final Map<Integer, Integer> asked = new HashMap<>();

        Responder(Bus bus, String requests, String answers) {
            this.bus = bus;
            channel = answers;
            subscription =
                    bus.addSubscription(requests, REQUEST_STREAM, changes::add, changes::add);
        }

        /** Answers the next request, if there is one; returns the number of requests received. */
        int doWork(IdleStrategy idle) {
            // A handler must not wait, so it notes the request, and the answer follows later.
            int work =
                    subscription.poll(
                            (buffer, offset, length, header) ->
                                    asked.put(header.sessionId(), buffer.getInt(offset)),
                            1);
            // After the poll, because an image is announced before it can be polled: now each
            // session that has asked is known, unless it has gone.
            applyChanges();
            asked.forEach((session, number) -> answer(bySession.get(session), number, idle));
            asked.clear();
            return work;
        }

        private void applyChanges() {
            Image image;
            while ((image = changes.poll()) != null) {
                Requester known = bySession.get(image.sessionId());
                if (!image.isClosed()) {
                    add(image);
                } else if (known != null && known.requests == image) {
                    bySession.remove(image.sessionId());
                    known.answers.close();
                }
            }
        }

        private void add(Image image) {
            String response = channel + "|response-correlation-id=" + image.imageId();
            try {
                Publication answers = bus.addPublication(response, ANSWER_STREAM);
                bySession.put(image.sessionId(), new Requester(image, answers));
            } catch (RegistrationException e) {
                System.err.println(e.getMessage()); // for example, the requester has just gone
            }
        }

        /** Sends an answer, unless the requester has gone. */
        private static void answer(Requester requester, int number, IdleStrategy idle) {
            if (requester == null) {
                return;
            }
            UnsafeBuffer text = new UnsafeBuffer(new byte[64]);
            int length = text.putStringWithoutLengthAscii(0, "answer " + number);
            while (requester.answers.offer(text, 0, length) < 0 && !requester.requests.isClosed()) {
                idle.idle();
            }
        }
    }
}
