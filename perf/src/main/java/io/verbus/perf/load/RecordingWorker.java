// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * Runs one process of a recording measurement: the archive, or the end whose streams it records.
 */
final class RecordingWorker {
    private final Orders orders;
    private final Stack stack;

    RecordingWorker(Orders orders, Stack stack) {
        this.orders = orders;
        this.stack = stack;
    }

    void run(Role role) {
        if (role == Role.REFLECTOR) {
            stack.reflector();
            orders.say(Worker.READY, "");
            orders.awaitEnd();
            return;
        }
        Recorder recorder = stack.recorder();
        orders.say(Worker.READY, "");
        while (orders.isRunning()) {
            long count = orders.nextRun();
            if (count == 0) {
                orders.pause();
            } else {
                orders.say(Worker.RESULT, recorder.record(count).encode());
            }
        }
    }
}
