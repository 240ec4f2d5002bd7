// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * Runs one process of a recording measurement: the archive, or the end whose streams it records.
 */
final class RecordingWorker {
    private final WorkerProtocol protocol;
    private final Stack stack;

    RecordingWorker(WorkerProtocol protocol, Stack stack) {
        this.protocol = protocol;
        this.stack = stack;
    }

    void run(Role role) {
        if (role == Role.REFLECTOR) {
            stack.reflector();
            protocol.say(Worker.READY, "");
            protocol.awaitEnd();
            return;
        }
        Recorder recorder = stack.recorder();
        protocol.say(Worker.READY, "");
        while (protocol.isRunning()) {
            long count = protocol.nextRun();
            if (count == 0) {
                protocol.pause();
            } else {
                protocol.say(Worker.RESULT, recorder.record(count).encode());
            }
        }
    }
}
