// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.process;

/** Program of a child process: a constant of an enum that lists such programs. */
public interface ChildProgram {
    /** Returns the name of the constant. */
    String name();

    /** Returns the enum. */
    Class<?> getDeclaringClass();

    /**
     * Runs the program. The process exits with status 0 when this method returns, and with status 1
     * when it throws an exception, whose message is printed to standard error.
     *
     * @param args arguments of the program.
     */
    void run(String[] args) throws Exception;
}
