// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Tasks of several owners, handed out in turn by owner: one that has many, or a long one, delays no
 * other. The tasks of one owner keep their order. One thread.
 */
public final class FairQueue<T> {
    /** The owner whose turn it is comes first. */
    private final Map<Object, ArrayDeque<T>> byOwner = new LinkedHashMap<>();

    /** Whether no owner has a task. */
    public boolean isEmpty() {
        return byOwner.isEmpty();
    }

    /** Adds a task behind all others of its owner. */
    public void add(Object owner, T task) {
        byOwner.computeIfAbsent(owner, each -> new ArrayDeque<>()).addLast(task);
    }

    /** The owner whose turn it is. The queue is not empty. */
    Object nextOwner() {
        return byOwner.keySet().iterator().next();
    }

    /** Moves the tasks of an owner behind those of all owners of another queue. */
    void moveTo(FairQueue<T> other, Object owner) {
        ArrayDeque<T> tasks = byOwner.remove(owner);
        if (tasks != null) {
            other.byOwner.put(owner, tasks);
        }
    }

    /** The task whose turn it is. The queue is not empty. */
    public T next() {
        return byOwner.values().iterator().next().getFirst();
    }

    /**
     * Ends the turn of the task that {@link #next} has told.
     *
     * @param isDone whether the task leaves the queue.
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
