// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.SilentNames;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A client whose names hang at the name server, beside an honest one: the greedy client is rejected
 * with an explanation, and each command of the honest one that names a host succeeds.
 */
@Timeout(120)
class GreedyLookUpsTest {
    private static final int MOST = 300;

    /** Resource that the greedy client exhausts. */
    private enum Greed {
        NAMES("names being looked up") {
            @Override
            String host(int count) {
                return "n" + count + ".silent";
            }
        },
        COMMANDS("waiting commands") {
            @Override
            String host(int count) {
                return "one.silent";
            }
        };

        private final String refused;

        Greed(String refused) {
            this.refused = refused;
        }

        abstract String host(int count);
    }

    @TempDir private Path folder;

    @ParameterizedTest
    @EnumSource
    void rejectsGreedyClientAndServesHonestClient(Greed greed) throws IOException {
        Path directory = folder.resolve("driver");
        try (ChildProcess driver =
                ChildProcess.start(
                        List.of(),
                        SilentNames.classPath(folder),
                        MediaDriver.class,
                        "dir=" + directory,
                        "term-length=64k",
                        "client-liveness-timeout=60s",
                        "max-look-ups=" + (greed == Greed.NAMES ? 40 : 4000),
                        "max-waiting-commands=" + (greed == Greed.COMMANDS ? 100 : 4000))) {
            driver.awaitLine("verbus driver ready");
            try (RawClient greedy = new RawClient(directory);
                    RawClient honest = new RawClient(directory)) {
                RawClient.Event refusal = refused(greed, greedy);
                assertEquals(ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE, refusal.code());
                assertTrue(
                        refusal.text()
                                .matches(
                                        ".*client \\d+ has \\d+ "
                                                + greed.refused
                                                + ", and .* client-share=75 .*"),
                        refusal.text());
                serve(honest);
            }
        }
    }

    /** Sends commands that wait, until one is rejected. */
    private static RawClient.Event refused(Greed greed, RawClient greedy) {
        for (int i = 0; i < MOST; i++) {
            greedy.addSubscription("aeron:udp?endpoint=" + greed.host(i) + ":31999", 1);
        }
        RawClient.Event[] refusal = new RawClient.Event[1];
        Await.until(
                "refused",
                () -> {
                    for (RawClient.Event each : greedy.take()) {
                        refusal[0] = each.isError() ? each : refusal[0];
                    }
                    return refusal[0] != null;
                });
        return refusal[0];
    }

    /** Every command that names a host. */
    private static void serve(RawClient honest) {
        String place = "aeron:udp?endpoint=honest:31997";
        served(honest, honest.addSubscription("aeron:udp?endpoint=honest:31998", 1));
        served(honest, honest.addPublication("aeron:udp?endpoint=other:31998", 1));
        long manual = honest.addPublication("aeron:udp?control-mode=manual|control=honest:0", 1);
        served(honest, manual);
        served(honest, honest.destination(RawClient.ADD_DESTINATION, manual, place));
        served(honest, honest.destination(RawClient.REMOVE_DESTINATION, manual, place));
        long receiving = honest.addSubscription("aeron:udp?control-mode=manual", 1);
        served(honest, receiving);
        served(honest, honest.destination(RawClient.ADD_RECEIVE_DESTINATION, receiving, place));
        served(honest, honest.destination(RawClient.REMOVE_RECEIVE_DESTINATION, receiving, place));
    }

    private static void served(RawClient honest, long correlationId) {
        RawClient.Event answer = honest.answer(correlationId);
        assertFalse(answer.isError(), answer.text());
    }
}
