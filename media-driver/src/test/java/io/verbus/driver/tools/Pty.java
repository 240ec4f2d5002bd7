// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbus.driver.Await;

import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A terminal of a given size for a process, and its screen. It interprets the controls that Verbus
 * uses, and records lines that were wrapped or scrolled off.
 *
 * @see <a href="https://man7.org/linux/man-pages/man4/pts.4.html">pts(4)</a>
 */
final class Pty implements AutoCloseable {
    private static final int O_RDWR_NOCTTY = 0x2 | 0x100;
    private static final long TIOCSPTLCK = 0x40045431;
    private static final long TIOCGPTN = 0x80045430L;
    private static final long TIOCSWINSZ = 0x5414;
    private static final int TERMIOS_LENGTH = 60;

    private static final MethodHandle OPEN =
            link(
                    "open",
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
                    Linker.Option.firstVariadicArg(2));
    private static final MethodHandle IOCTL =
            link(
                    "ioctl",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
                    Linker.Option.firstVariadicArg(2));
    private static final MethodHandle READ =
            link("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle WRITE =
            link("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle CLOSE =
            link("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle TCGETATTR =
            link("tcgetattr", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));

    private final Arena arena = Arena.ofShared();
    private final int master;
    private final int slave;
    private final File name;
    private final Thread reader;

    private int columns;
    private char[][] cells;
    private int row;
    private int column;
    private final Deque<String> wrapped = new ArrayDeque<>();
    private final StringBuilder control = new StringBuilder();

    Pty(int columns, int rows) {
        master = open("/dev/ptmx");
        MemorySegment number = arena.allocate(JAVA_INT);
        ioctl(TIOCSPTLCK, number); // 0 unlocks
        ioctl(TIOCGPTN, number);
        name = new File("/dev/pts/" + number.get(JAVA_INT, 0));
        slave = open(name.getPath()); // so that the terminal outlives its process
        resize(columns, rows);
        reader = Thread.ofPlatform().daemon().name("pty").start(this::read);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(
            String function, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(function), descriptor, options);
    }

    private int open(String path) {
        int descriptor = (int) call(OPEN, arena.allocateFrom(path), O_RDWR_NOCTTY);
        if (descriptor < 0) {
            throw new IllegalStateException("cannot open " + path);
        }
        return descriptor;
    }

    private void ioctl(long request, MemorySegment argument) {
        if ((int) call(IOCTL, master, request, argument) != 0) {
            throw new IllegalStateException("ioctl " + Long.toHexString(request) + " fails");
        }
    }

    private static Object call(MethodHandle function, Object... arguments) {
        try {
            return function.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the file that a process reads and writes. */
    File file() {
        return name;
    }

    /** Resizes the terminal, and clears its screen. */
    synchronized void resize(int newColumns, int newRows) {
        MemorySegment size = arena.allocate(JAVA_SHORT, 4);
        size.setAtIndex(JAVA_SHORT, 0, (short) newRows);
        size.setAtIndex(JAVA_SHORT, 1, (short) newColumns);
        ioctl(TIOCSWINSZ, size);
        columns = newColumns;
        cells = new char[newRows][newColumns];
        clear(0, 0);
        row = 0;
        column = 0;
        wrapped.clear();
    }

    /** Presses keys. */
    void type(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        MemorySegment buffer = arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
        call(WRITE, master, buffer, (long) bytes.length);
    }

    /** Returns the settings of the terminal, such as whether it echoes. */
    String settings() {
        MemorySegment termios = arena.allocate(TERMIOS_LENGTH, Integer.BYTES);
        call(TCGETATTR, slave, termios);
        StringBuilder flags = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            flags.append(Integer.toHexString(termios.getAtIndex(JAVA_INT, i))).append(' ');
        }
        return flags.toString();
    }

    /** Returns the screen, a line for each row. */
    synchronized String screen() {
        StringBuilder text = new StringBuilder();
        for (char[] line : cells) {
            text.append(new String(line).stripTrailing()).append('\n');
        }
        return text.toString();
    }

    /** Returns the lines that were wrapped or scrolled off. */
    synchronized String wrapped() {
        return String.join("\n", wrapped);
    }

    private void read() {
        MemorySegment buffer = arena.allocate(4096);
        while (true) {
            long count = (long) call(READ, master, buffer, buffer.byteSize());
            if (count <= 0) {
                return;
            }
            byte[] bytes =
                    buffer.asSlice(0, count).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
            synchronized (this) {
                for (byte each : bytes) {
                    put((char) (each & 0xFF));
                }
            }
        }
    }

    private void put(char c) {
        if (!control.isEmpty() || c == 0x1B) {
            control.append(c);
            if (control.length() > 2 && Character.isLetter(c)) {
                control(control.substring(1));
                control.setLength(0);
            }
            return;
        }
        switch (c) {
            case '\r' -> column = 0;
            case '\n' -> {
                if (row == cells.length - 1) {
                    wrapped.add("scrolled: " + new String(cells[0]));
                    System.arraycopy(cells, 1, cells, 0, row);
                    cells[row] = " ".repeat(columns).toCharArray();
                } else {
                    row++;
                }
            }
            default -> {
                if (column == columns) {
                    wrapped.add("wrapped: " + new String(cells[row]));
                    column = 0;
                    row = Math.min(row + 1, cells.length - 1);
                }
                cells[row][column++] = c;
            }
        }
    }

    private void control(String sequence) {
        switch (sequence) {
            case "[H" -> {
                row = 0;
                column = 0;
            }
            case "[K" -> clear(row, row + 1);
            case "[J" -> clear(row, cells.length);
            case "[?25l", "[?25h" -> {
                // The cursor is off the screen.
            }
            default -> wrapped.add("unknown control " + sequence);
        }
    }

    /** Clears rows, the first from the cursor on. */
    private void clear(int from, int to) {
        if (to == 0) {
            for (int i = 0; i < cells.length; i++) {
                cells[i] = " ".repeat(columns).toCharArray();
            }
            return;
        }
        for (int i = from; i < to; i++) {
            for (int k = i == row ? column : 0; k < columns; k++) {
                cells[i][k] = ' ';
            }
        }
    }

    @Override
    public void close() {
        call(CLOSE, slave);
        Await.until("the terminal's end is read", () -> !reader.isAlive());
        call(CLOSE, master);
        arena.close();
    }
}
