// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.archive;

import io.verbus.perf.demo.DemoException;
import io.verbus.perf.process.ChildProgram;

/** Programs of the archive demo's processes, besides the drivers. */
enum ArchiveProgram implements ChildProgram {
    /** Runs the archive. */
    ARCHIVE {
        @Override
        public void run(String[] args) throws DemoException, InterruptedException {
            ArchiveProcess.run(args);
        }
    },

    /** Publishes the stream. */
    LIVE_PUBLISHER {
        @Override
        public void run(String[] args) throws DemoException, InterruptedException {
            LivePublisher.run(args);
        }
    },

    /** Replays the recording, and joins the live stream. */
    LATE_SUBSCRIBER {
        @Override
        public void run(String[] args) throws DemoException {
            LateSubscriber.run(args);
        }
    }
}
