// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbus.driver.status.DriverFailure;
import io.verbus.driver.status.LogFaults;

import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class InvokedAgentsTest {
    private final List<String> calls = new ArrayList<>();
    private final List<Throwable> errors = new ArrayList<>();
    private boolean isFailing;
    private long nowNs = Long.MAX_VALUE - 3;
    private final DriverFailure failure = new DriverFailure();
    private Error error;
    private final InvokedAgents agents =
            new InvokedAgents(
                    network("send"),
                    network("receive"),
                    conductor(),
                    () -> nowNs,
                    errors::add,
                    failure,
                    new LogFaults(errors::add));

    private NetworkAgent network(String name) {
        return new NetworkAgent() {
            @Override
            public int work(long time) {
                assertEquals(nowNs, time);
                calls.add(name);
                if (error != null) {
                    throw error;
                }
                if (isFailing) {
                    throw new IllegalStateException(name);
                }
                return 1;
            }

            @Override
            public void onClose() {
                calls.add("close " + name);
            }

            @Override
            public String roleName() {
                return name;
            }
        };
    }

    private Agent conductor() {
        return new Agent() {
            @Override
            public int doWork() {
                calls.add("conduct");
                if (isFailing) {
                    throw new IllegalStateException("conduct");
                }
                return 1;
            }

            @Override
            public void onClose() {
                calls.add("close conduct");
            }

            @Override
            public String roleName() {
                return "conduct";
            }
        };
    }

    private List<String> invoke(int work) {
        calls.clear();
        assertEquals(work, agents.doWork());
        return calls;
    }

    @Test
    void sendsFirstAndReceivesLast() {
        assertEquals(List.of("send", "conduct", "receive"), invoke(3));
    }

    @Test
    void runsConductorOncePerIntervalIfCyclesAreShort() {
        invoke(3);
        for (int i = 0; i < 2 * InvokedAgents.CONDUCT_CYCLES; i++) {
            assertEquals(List.of("send", "receive"), invoke(2));
        }
        nowNs += InvokedAgents.CONDUCT_INTERVAL_NS - 1;
        assertEquals(List.of("send", "receive"), invoke(2));
        nowNs++;
        assertEquals(List.of("send", "conduct", "receive"), invoke(3));
        assertEquals(List.of("send", "receive"), invoke(2));
    }

    @Test
    void runsConductorEveryFewCyclesWhenCyclesAreLong() {
        for (int round = 0; round < 3; round++) {
            assertEquals(List.of("send", "conduct", "receive"), invoke(3));
            for (int i = 1; i < InvokedAgents.CONDUCT_CYCLES; i++) {
                nowNs += InvokedAgents.CONDUCT_INTERVAL_NS;
                assertEquals(List.of("send", "receive"), invoke(2));
            }
            nowNs += InvokedAgents.CONDUCT_INTERVAL_NS;
        }
    }

    @Test
    void runsConductorInEachCycleWhenInvokedRarely() {
        for (int i = 0; i < 3; i++) {
            assertEquals(List.of("send", "conduct", "receive"), invoke(3));
            nowNs += InvokedAgents.LATEST_CONDUCT_NS;
        }
    }

    @Test
    void recordsErrorAndRunsOtherAgents() {
        isFailing = true;
        assertEquals(List.of("send", "conduct", "receive"), invoke(0));
        assertEquals(calls, errors.stream().map(Throwable::getMessage).toList());
    }

    @Test
    void throwsErrorToApplicationAndStops() {
        error = new AssertionError("defect");
        assertSame(error, assertThrows(AssertionError.class, agents::doWork));
        assertSame(error, failure.error());
        error = null;
        calls.clear();
        assertSame(failure.error(), assertThrows(AssertionError.class, agents::doWork));
        assertEquals(List.of(), calls);
        assertEquals(List.of(), errors);
    }

    @Test
    void closesConductorLast() {
        agents.onClose();
        assertEquals(List.of("close send", "close receive", "close conduct"), calls);
    }
}
