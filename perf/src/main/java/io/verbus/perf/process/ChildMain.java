// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.process;

import java.util.Arrays;
import java.util.stream.Stream;

/** Main class of all child processes, which runs a {@link ChildProgram}. */
public final class ChildMain {
    /** System property: if true, the stack trace of any exception is printed. */
    private static final String TRACE_PROPERTY = "verbus.perf.trace";

    private ChildMain() {}

    /**
     * Runs a program.
     *
     * @param args name of the enum, name of its constant, and the arguments of the program.
     */
    public static void main(String[] args) throws ClassNotFoundException {
        ChildProgram program = find(args[0], args[1]);
        int status = 0;
        try {
            program.run(Arrays.copyOfRange(args, 2, args.length));
        } catch (Exception ex) {
            System.err.println(ex.getMessage() == null ? ex.toString() : ex.getMessage());
            if (isDefect(ex) || Boolean.getBoolean(TRACE_PROPERTY)) {
                ex.printStackTrace();
            }
            status = 1;
        }
        System.exit(status);
    }

    private static ChildProgram find(String table, String name) throws ClassNotFoundException {
        return Stream.of(Class.forName(table).getEnumConstants())
                .map(ChildProgram.class::cast)
                .filter(program -> program.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(table + " has no " + name));
    }

    /** Returns whether the JDK threw the exception, so that its message alone explains nothing. */
    private static boolean isDefect(Exception ex) {
        return ex.getClass().getName().startsWith("java.lang.")
                && !(ex instanceof IllegalStateException)
                && !(ex instanceof IllegalArgumentException);
    }
}
