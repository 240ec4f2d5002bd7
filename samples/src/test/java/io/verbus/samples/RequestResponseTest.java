// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.driver.MediaDriver;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;

/** The responder of the sample, with requesters that come and go while it runs. */
class RequestResponseTest {
    private static final int REQUESTERS = 8;

    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void answersRequestersThatComeAndGo() throws Exception {
        String requests = "verbus:udp?endpoint=127.0.0.1:" + freePort();
        String answers = "verbus:udp?control-mode=response|control=127.0.0.1:" + freePort();
        try (MediaDriver driver = MediaDriver.launchEmbedded();
                Bus bus = connect(driver)) {
            RequestResponse.Responder responder =
                    new RequestResponse.Responder(bus, requests, answers);
            CompletableFuture<?>[] asking = new CompletableFuture<?>[REQUESTERS];
            for (int i = 0; i < REQUESTERS; i++) {
                asking[i] = CompletableFuture.runAsync(() -> ask(driver, requests, answers));
            }
            CompletableFuture<?> all = CompletableFuture.allOf(asking);
            int received = 0;
            IdleStrategy idle = new BackoffIdleStrategy();
            while (!all.isDone()) {
                int work = responder.doWork(idle);
                received += work;
                idle.idle(work);
            }
            all.join();
            assertEquals(REQUESTERS, received);
        }
    }

    private static void ask(MediaDriver driver, String requests, String answers) {
        try (Bus bus = connect(driver)) {
            RequestResponse.ask(bus, requests, answers, 1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Bus connect(MediaDriver driver) {
        return Bus.connect(new BusContext().directoryName(driver.directory()));
    }

    private static int freePort() throws Exception {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
