// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.process;

/** Event of a child process. */
public sealed interface ChildEvent {
    /** Returns the process. */
    ChildProcess child();

    /** The process printed a line to standard output. */
    record Said(ChildProcess child, String line) implements ChildEvent {}

    /** The process has exited, and all its output has been read. */
    record Ended(ChildProcess child, int status) implements ChildEvent {}
}
