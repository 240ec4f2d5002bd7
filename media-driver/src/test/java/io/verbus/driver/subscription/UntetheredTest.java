// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.config.UntetheredTimeouts;
import io.verbus.driver.subscription.Untethered.State;
import io.verbus.driver.subscription.Untethered.Step;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;

import java.util.List;

class UntetheredTest {
    private static final long MS = 1_000_000;
    private static final long LIMIT = 1000;
    private static final UntetheredTimeouts TIMEOUTS =
            new UntetheredTimeouts(50 * MS, 20 * MS, 100 * MS);

    private final Untethered subscriber = new Untethered(TIMEOUTS, true);

    private Step at(long ms, long position) {
        return subscriber.step(ms * MS, position, LIMIT, false);
    }

    @Test
    void neverDetachesSubscriberThatKeepsUp() {
        for (long ms = 0; ms < 1000; ms += 10) {
            assertEquals(Step.NONE, at(ms, LIMIT + 1));
        }
        assertEquals(State.ACTIVE, subscriber.state());
    }

    @Test
    void detachesLingersRestsAndRejoins() {
        assertEquals(Step.NONE, at(0, LIMIT + 1));
        assertEquals(Step.NONE, at(10, LIMIT));
        assertEquals(Step.NONE, at(49, LIMIT));
        assertEquals(Step.LET_GO, at(50, LIMIT));
        assertEquals(State.LINGERING, subscriber.state());
        assertEquals(Step.NONE, at(69, LIMIT + 1), "too late");
        assertEquals(Step.DISCOUNT, at(70, LIMIT));
        assertEquals(State.RESTING, subscriber.state());
        assertEquals(Step.NONE, at(169, 0));
        assertEquals(Step.JOIN, at(170, 0));
        assertEquals(Step.JOIN, at(171, 0), "until it has joined");
        subscriber.joined();
        assertEquals(State.ACTIVE, subscriber.state());
        assertEquals(Step.NONE, at(180, LIMIT), "its time begins anew");
        assertEquals(Step.NONE, at(229, LIMIT));
        assertEquals(Step.LET_GO, at(230, LIMIT));
    }

    @Test
    void restartsTimeoutAfterCatchingUp() {
        assertEquals(Step.NONE, at(0, LIMIT));
        assertEquals(Step.NONE, at(40, LIMIT + 1));
        assertEquals(Step.NONE, at(89, LIMIT));
        assertEquals(Step.LET_GO, at(90, LIMIT));
    }

    @Test
    void measuresTimeoutFromFirstCheck() {
        assertEquals(Step.NONE, at(1_000_000, LIMIT));
        assertEquals(Step.LET_GO, at(1_000_050, LIMIT));
    }

    @Test
    void rejoinsImmediatelyIfStreamWaitsForReader() {
        at(0, LIMIT);
        at(50, LIMIT);
        assertEquals(Step.NONE, subscriber.step(60 * MS, 0, LIMIT, true), "it still lingers");
        at(70, LIMIT);
        assertEquals(Step.JOIN, subscriber.step(71 * MS, 0, LIMIT, true));
    }

    @Test
    void detachesPermanentlyUnlessRejoinIsEnabled() {
        Untethered once = new Untethered(TIMEOUTS, false);
        once.step(0, LIMIT, LIMIT, false);
        assertEquals(Step.LET_GO, once.step(50 * MS, LIMIT, LIMIT, false));
        assertEquals(Step.DISCOUNT, once.step(70 * MS, LIMIT, LIMIT, false));
        assertEquals(State.GONE, once.state());
        assertEquals(Step.NONE, once.step(Long.MAX_VALUE / 2, Long.MAX_VALUE, LIMIT, true));
    }

    @Test
    void restsAfterInvalidPosition() {
        at(0, LIMIT + 1);
        subscriber.discounted();
        assertEquals(State.RESTING, subscriber.state());
        assertEquals(Step.NONE, at(10, 0));
        assertEquals(Step.NONE, at(109, 0));
        assertEquals(Step.JOIN, at(110, 0));
    }

    /** For any reads and check times, the steps alternate, none too early. */
    @Property(tries = 300)
    void neverChangesStateBeforeTimeout(
            @ForAll @Size(max = 200) List<@IntRange(min = 1, max = 40) Integer> pausesMs,
            @ForAll @IntRange(max = 3) int keepsUpEvery,
            @ForAll boolean rejoins) {
        Untethered any = new Untethered(TIMEOUTS, rejoins);
        long nowMs = 0;
        long lastInTimeMs = -1; // or first looked at
        long letGoMs = -1;
        long discountedMs = -1;
        int turn = 0;
        for (int pause : pausesMs) {
            nowMs += pause;
            boolean keepsUp = keepsUpEvery > 0 && turn++ % (5 * keepsUpEvery) == 0;
            State before = any.state();
            Step step = any.step(nowMs * MS, keepsUp ? LIMIT + 1 : LIMIT, LIMIT, false);
            if (before == State.ACTIVE && (keepsUp || lastInTimeMs < 0)) {
                lastInTimeMs = nowMs;
                assertEquals(Step.NONE, step);
            }
            switch (step) {
                case NONE -> assertEquals(before, any.state());
                case LET_GO -> {
                    assertEquals(State.ACTIVE, before);
                    assertTrue(nowMs - lastInTimeMs >= 50);
                    letGoMs = nowMs;
                }
                case DISCOUNT -> {
                    assertEquals(State.LINGERING, before);
                    assertTrue(nowMs - letGoMs >= 20);
                    discountedMs = nowMs;
                }
                case JOIN -> {
                    assertEquals(State.RESTING, before);
                    assertTrue(rejoins && nowMs - discountedMs >= 100);
                    any.joined();
                    lastInTimeMs = -1;
                }
            }
            boolean isDue =
                    switch (any.state()) {
                        case ACTIVE -> lastInTimeMs >= 0 && nowMs - lastInTimeMs >= 50;
                        case LINGERING -> nowMs - letGoMs >= 20;
                        case RESTING -> nowMs - discountedMs >= 100;
                        case GONE -> false;
                    };
            assertTrue(!isDue, "overdue in " + any.state());
        }
    }
}
