// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbus.BusException;

import java.io.Console;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Standard input and output. If they are a terminal, keys are read as they are pressed; otherwise
 * the output may be a pipe that its reader closes. Not thread-safe except for {@link #leave}.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/termios.3.html">termios(3)</a>
 * @see <a
 *     href="https://man7.org/linux/man-pages/man2/TIOCSWINSZ.2const.html">TIOCGWINSZ(2const)</a>
 * @see <a href="https://man7.org/linux/man-pages/man2/poll.2.html">poll(2)</a>
 */
final class Terminal implements AutoCloseable {
    /** Result if no key was pressed in time. */
    static final int NO_KEY = -1;

    /** Result if the output's reader or the terminal has closed. */
    static final int ENDED = -2;

    /** Hides the cursor, and moves it to the top left corner (DECTCEM, ECMA-48 CUP). */
    private static final String HOME = "\u001b[?25l\u001b[H";

    /** Clears from the cursor to the end of the line, or of the screen (ECMA-48 EL, ED). */
    private static final String END_OF_LINE = "\u001b[K";

    private static final String END_OF_SCREEN = "\u001b[J";
    private static final String SHOW_CURSOR = "\u001b[?25h";
    private static final int INPUT = 0;
    private static final int OUTPUT = 1;
    private static final int TCSADRAIN = 1;
    private static final long TIOCGWINSZ = 0x5413;
    private static final int POLLIN = 1;

    /** POLLERR, POLLHUP and POLLNVAL. */
    private static final int GONE = 0x8 | 0x10 | 0x20;

    private static final int TERMIOS_LENGTH = 60;
    private static final int LOCAL_FLAGS = 12;
    private static final int CONTROL_CHARACTERS = 17;
    private static final int VTIME = 5;
    private static final int VMIN = 6;
    private static final int ICANON = 0x2;
    private static final int ECHO = 0x8;

    /** Assumed size of a terminal that does not report its size. */
    private static final int COLUMNS = 80;

    private static final int LINES = 24;

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment keys = arena.allocate(1);
    private final MemorySegment size = arena.allocate(4 * Short.BYTES, Short.BYTES);
    private final MemorySegment polled = arena.allocate(2 * Long.BYTES, Long.BYTES);
    private final MemorySegment before;
    private boolean isLeft;

    /** Takes control of standard input if both it and standard output are a terminal. */
    Terminal() {
        before = isTerminal() ? arena.allocate(TERMIOS_LENGTH, Integer.BYTES) : null;
        if (before != null && Calls.call(Calls.TCGETATTR, INPUT, before) == 0) {
            MemorySegment raw = arena.allocate(TERMIOS_LENGTH, Integer.BYTES).copyFrom(before);
            raw.set(JAVA_INT, LOCAL_FLAGS, raw.get(JAVA_INT, LOCAL_FLAGS) & ~(ICANON | ECHO));
            raw.set(JAVA_BYTE, CONTROL_CHARACTERS + VMIN, (byte) 1);
            raw.set(JAVA_BYTE, CONTROL_CHARACTERS + VTIME, (byte) 0);
            Calls.call(Calls.TCSETATTR, INPUT, TCSADRAIN, raw);
        }
    }

    /** Returns whether this process has a terminal on which to read keys and draw. */
    static boolean isTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /**
     * Returns the current width of standard output in characters; {@link Integer#MAX_VALUE} if it
     * is not a terminal.
     */
    static int width() {
        if (!isTerminal()) {
            return Integer.MAX_VALUE;
        }
        try (Arena arena = Arena.ofConfined()) {
            return measure(arena.allocate(4 * Short.BYTES, Short.BYTES), 1, COLUMNS);
        }
    }

    /**
     * Draws a screen over the last one.
     *
     * @param lines lines of the screen.
     * @param height height of the screen; further lines are omitted.
     */
    static void draw(List<String> lines, int height, PrintWriter out) {
        out.print(HOME);
        // No line feed after the last line, because the screen would scroll.
        out.print(
                String.join(END_OF_LINE + "\n", lines.subList(0, Math.min(height, lines.size()))));
        out.print(END_OF_SCREEN);
    }

    /**
     * Runs a live view, and restores the terminal afterwards, even if SIGINT ends the JVM.
     *
     * @param out writer that draws on the terminal; null if the view does not draw.
     */
    void during(Runnable view, PrintWriter out) {
        Thread restore = new Thread(() -> leave(out), "verbus-terminal");
        Runtime.getRuntime().addShutdownHook(restore);
        try {
            view.run();
        } finally {
            leave(out);
            forget(restore);
        }
    }

    private void leave(PrintWriter out) {
        if (leave() && out != null) {
            out.print(SHOW_CURSOR + "\n");
            out.flush();
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The JVM is exiting: the hook is running, and finds nothing to do.
        }
    }

    /** Returns the current width in characters. */
    int columns() {
        return measure(size, 1, COLUMNS);
    }

    /** Returns the current height in lines. */
    int lines() {
        return measure(size, 0, LINES);
    }

    private static int measure(MemorySegment size, int field, int preset) {
        int result = Calls.call(Calls.IOCTL, OUTPUT, TIOCGWINSZ, size);
        int told = result == 0 ? size.getAtIndex(JAVA_SHORT, field) : 0;
        return told > 0 ? told : preset;
    }

    /**
     * Waits for a key.
     *
     * @param waitNs maximum wait in nanoseconds.
     * @return the byte that the key sends, {@link #NO_KEY} or {@link #ENDED}.
     */
    int key(long waitNs) {
        // Only a terminal's input is read, because other input may already be at its end.
        poll(0, before != null ? INPUT : -1, POLLIN);
        poll(1, OUTPUT, 0);
        int waitMs = (int) Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(waitNs));
        if (Calls.call(Calls.POLL, polled, 2L, waitMs) <= 0) { // or interrupted
            return NO_KEY;
        }
        if ((told(1) & GONE) != 0 || (told(0) & GONE) != 0 && (told(0) & POLLIN) == 0) {
            return ENDED;
        }
        return Calls.read(INPUT, keys) == 1 ? keys.get(JAVA_BYTE, 0) : ENDED;
    }

    private void poll(int index, int descriptor, int events) {
        polled.set(JAVA_INT, index * 8L, descriptor);
        polled.set(JAVA_SHORT, index * 8L + 4, (short) events);
        polled.set(JAVA_SHORT, index * 8L + 6, (short) 0);
    }

    private int told(int index) {
        return polled.get(JAVA_SHORT, index * 8L + 6);
    }

    /** Restores the terminal; returns false if it was already restored. */
    synchronized boolean leave() {
        if (isLeft) {
            return false;
        }
        isLeft = true;
        if (before != null) {
            Calls.call(Calls.TCSETATTR, INPUT, TCSADRAIN, before);
        }
        return true;
    }

    @Override
    public void close() {
        leave();
    }

    /** The C library's functions. */
    private static final class Calls {
        static final MethodHandle TCGETATTR =
                link("tcgetattr", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
        static final MethodHandle TCSETATTR =
                link("tcsetattr", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
        static final MethodHandle IOCTL =
                link(
                        "ioctl",
                        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
                        Linker.Option.firstVariadicArg(2));
        static final MethodHandle POLL =
                link("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
        private static final MethodHandle READ =
                link("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));

        private Calls() {}

        @SuppressWarnings("restricted")
        private static MethodHandle link(
                String name, FunctionDescriptor function, Linker.Option... options) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().findOrThrow(name), function, options);
        }

        static int call(MethodHandle function, Object... arguments) {
            try {
                return (int) function.invokeWithArguments(arguments);
            } catch (Throwable e) {
                throw new BusException("cannot call the C library: " + e, e);
            }
        }

        static long read(int descriptor, MemorySegment into) {
            try {
                return (long) READ.invokeExact(descriptor, into, into.byteSize());
            } catch (Throwable e) {
                throw new BusException("cannot call read(): " + e, e);
            }
        }
    }
}
