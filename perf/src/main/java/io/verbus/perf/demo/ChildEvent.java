// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

/** What the demo learns of its processes. */
public sealed interface ChildEvent {
    /** The process that it is about. */
    ChildProcess child();

    /** A line on the process's standard output. */
    record Said(ChildProcess child, String line) implements ChildEvent {}

    /** The process has ended, and all that it wrote has been read. */
    record Ended(ChildProcess child, int status) implements ChildEvent {}
}
