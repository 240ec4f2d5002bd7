// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

class FairQueueTest {
    private final FairQueue<String> queue = new FairQueue<>();

    private String turn(boolean isDone) {
        String task = queue.next();
        queue.endTurn(isDone);
        return task;
    }

    @Test
    void alternatesBetweenOwnersAndKeepsOrderOfEach() {
        queue.add(1, "a1");
        queue.add(1, "a2");
        queue.add(2, "b1");
        assertEquals("a1", turn(false));
        assertEquals("b1", turn(false));
        assertEquals("a1", turn(true));
        queue.add(3, "c1");
        assertEquals("b1", turn(true));
        assertEquals("a2", turn(true));
        assertEquals("c1", turn(true));
        assertTrue(queue.isEmpty());
    }

    /** Each waiting owner gets a turn before another owner gets two. */
    @Property
    void neverGivesOwnerTwoTurnsWhileAnotherWaits(
            @ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 5) Integer> slices) {
        FairQueue<Integer> all = new FairQueue<>();
        Map<Integer, Integer> left = new HashMap<>();
        for (int owner = 0; owner < slices.size(); owner++) {
            all.add(owner, owner);
            left.put(owner, slices.get(owner));
        }
        List<Integer> sinceOwnTurn = new ArrayList<>();
        while (!all.isEmpty()) {
            int owner = all.next();
            int last = sinceOwnTurn.lastIndexOf(owner);
            if (last >= 0) {
                List<Integer> others = sinceOwnTurn.subList(last + 1, sinceOwnTurn.size());
                left.keySet().stream()
                        .filter(other -> other != owner)
                        .forEach(other -> assertTrue(others.contains(other)));
            }
            sinceOwnTurn.add(owner);
            int rest = left.get(owner) - 1;
            all.endTurn(rest == 0);
            if (rest == 0) {
                left.remove(owner);
            } else {
                left.put(owner, rest);
            }
        }
        assertTrue(left.isEmpty());
    }
}
