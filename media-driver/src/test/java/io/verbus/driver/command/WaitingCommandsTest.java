// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.Drivers;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareLimits;
import io.verbus.driver.share.Shares;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

class WaitingCommandsTest {
    private final List<String> told = new ArrayList<>();
    private final List<String> run = new ArrayList<>();
    private final Set<String> ready = new HashSet<>();
    private final Shares shares =
            new Shares(new ShareLimits(50, Map.of(Share.WAITING_COMMANDS, 100L)));
    private final WaitingCommands waiting =
            new WaitingCommands(
                    (client, correlationId, failure) ->
                            told.add(correlationId + failure.getMessage()),
                    shares);

    private void add(long clientId, long correlationId, long registrationId, String name) {
        waiting.add(
                clientId,
                correlationId,
                registrationId,
                1,
                () -> ready.contains(name),
                () -> {
                    run.add(name);
                    if (name.startsWith("bad")) {
                        throw new CommandException(null, " is bad");
                    }
                });
    }

    @Test
    void runsReadyCommandBeforeWaitingCommand() {
        add(1, 10, 10, "first");
        add(1, 11, 11, "second");
        ready.add("second");
        assertEquals(1, waiting.run());
        assertEquals(List.of("second"), run);
        assertTrue(waiting.isAnyAbout(10));
        assertFalse(waiting.isAnyAbout(11));
    }

    @Test
    void keepsOrderOfCommandsForOneRegistration() {
        add(1, 10, 10, "add");
        add(1, 11, 10, "remove");
        ready.add("remove");
        assertEquals(0, waiting.run());
        ready.add("add");
        assertEquals(1, waiting.run());
        assertEquals(1, waiting.run());
        assertEquals(List.of("add", "remove"), run);
    }

    @Test
    void reportsFailureAndContinues() {
        add(1, 10, 10, "bad");
        add(2, 11, 11, "good");
        ready.addAll(Set.of("bad", "good"));
        assertEquals(2, waiting.run());
        assertEquals(List.of("10 is bad"), told);
        assertEquals(List.of("bad", "good"), run);
    }

    @Test
    void dropsCommandsOfClosedClient() {
        add(1, 10, 10, "first");
        add(2, 11, 11, "second");
        ready.addAll(Set.of("first", "second"));
        waiting.drop(1);
        waiting.run();
        assertEquals(List.of("second"), run);
    }

    @Test
    void limitsClientToItsShareAndServesOthers() {
        for (int i = 0; i < 50; i++) {
            add(1, i, i, "greedy");
        }
        String refusal = Drivers.refusal(() -> add(1, 5000, 5000, "greedy"));
        assertTrue(refusal.contains("client 1 has 50 waiting commands"), refusal);
        add(2, 5001, 5001, "honest");
        ready.addAll(Set.of("greedy", "honest"));
        waiting.run();
        assertTrue(run.contains("honest"), run.toString());
        waiting.drop(1);
        assertEquals(0, shares.all(Share.WAITING_COMMANDS));
    }
}
