// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Tasks of several owners, served in turn by owner, so that an owner with many or long tasks does
 * not delay the others. The tasks of one owner keep their order. Used by one thread.
 */
public final class FairQueue<T> {
    /** The owner whose turn is next comes first. */
    private final Map<Object, ArrayDeque<T>> byOwner = new LinkedHashMap<>();

    /** Returns whether no owner has a task. */
    public boolean isEmpty() {
        return byOwner.isEmpty();
    }

    /** Adds a task after its owner's other tasks. */
    public void add(Object owner, T task) {
        byOwner.computeIfAbsent(owner, each -> new ArrayDeque<>()).addLast(task);
    }

    /** Returns the next owner. The queue must not be empty. */
    public Object nextOwner() {
        return byOwner.keySet().iterator().next();
    }

    /** Moves the tasks of an owner to the end of another queue. */
    void moveTo(FairQueue<T> other, Object owner) {
        ArrayDeque<T> tasks = byOwner.remove(owner);
        if (tasks != null) {
            other.byOwner.put(owner, tasks);
        }
    }

    /** Returns the next task. The queue must not be empty. */
    public T next() {
        return byOwner.values().iterator().next().getFirst();
    }

    /**
     * Ends the turn of the task that {@link #next} returned.
     *
     * @param isDone whether to remove the task from the queue.
     */
    public void endTurn(boolean isDone) {
        Map.Entry<Object, ArrayDeque<T>> first = byOwner.entrySet().iterator().next();
        Object owner = first.getKey();
        ArrayDeque<T> tasks = first.getValue();
        byOwner.remove(owner);
        if (isDone) {
            tasks.removeFirst();
        }
        if (!tasks.isEmpty()) {
            byOwner.put(owner, tasks);
        }
    }
}
