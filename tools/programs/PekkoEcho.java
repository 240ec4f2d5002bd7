// SPDX-License-Identifier: Apache-2.0

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;

import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.pattern.Patterns;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One of two Pekko actor systems that exchange messages through Artery over an external media
 * driver.
 *
 * <p>Usage: {@code PekkoEcho echo PORT} or {@code PekkoEcho ask PORT ECHO-PORT MESSAGES}. The
 * second ends with status 0 when every message came back in order, and then asks the first to end.
 * Both need the system property {@code aeron.dir}.
 */
final class PekkoEcho {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    public static void main(String[] args) throws Exception {
        ActorSystem system = ActorSystem.create("verbus", configuration(args[1]));
        if (args[0].equals("echo")) {
            system.actorOf(Props.create(Echo.class, Echo::new), "echo");
            system.getWhenTerminated().toCompletableFuture().get(2, TimeUnit.MINUTES);
            return;
        }
        int status = ask(system, args[2], Integer.parseInt(args[3]));
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().get(1, TimeUnit.MINUTES);
        System.exit(status);
    }

    private static Config configuration(String port) {
        return ConfigFactory.parseString(
                        """
                        pekko.actor.provider = remote
                        pekko.actor.allow-java-serialization = on
                        pekko.actor.warn-about-java-serializer-usage = off
                        pekko.loglevel = WARNING
                        pekko.remote.artery {
                          transport = aeron-udp
                          canonical { hostname = "127.0.0.1", port = %s }
                          advanced.aeron { embedded-media-driver = off, aeron-dir = "%s" }
                        }
                        """
                                .formatted(port, System.getProperty("aeron.dir")))
                .withFallback(ConfigFactory.load());
    }

    private static int ask(ActorSystem system, String echoPort, int messages) throws Exception {
        ActorRef echo =
                system.actorSelection("pekko://verbus@127.0.0.1:" + echoPort + "/user/echo")
                        .resolveOne(PATIENCE)
                        .toCompletableFuture()
                        .get();
        for (int i = 0; i < messages; i++) {
            Object reply = Patterns.ask(echo, i, PATIENCE).toCompletableFuture().get();
            if (!reply.equals(i)) {
                System.err.println("sent " + i + ", received " + reply);
                return 1;
            }
        }
        System.out.println("echoed=" + messages);
        echo.tell("end", ActorRef.noSender());
        Thread.sleep(500); // the message leaves before the system ends
        return 0;
    }

    /** Returns each number to its sender. */
    private static final class Echo extends AbstractActor {
        @Override
        public Receive createReceive() {
            return receiveBuilder()
                    .match(Integer.class, number -> getSender().tell(number, getSelf()))
                    .matchEquals("end", end -> getContext().getSystem().terminate())
                    .build();
        }
    }
}
