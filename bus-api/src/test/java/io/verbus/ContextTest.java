// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The settings of a bus. */
class ContextTest {
    private final BusContext context = new BusContext();

    @Test
    void namesNullSetting() {
        assertNull("driver directory", () -> context.directoryName((String) null));
        assertNull("driver directory", () -> context.directoryName((Path) null));
        assertNull("error handler", () -> context.errorHandler(null));
        assertNull("available-image handler", () -> context.availableImageHandler(null));
        assertNull("driver timeout", () -> context.driverTimeout(null));
        assertNull("thread factory", () -> context.threadFactory(null));
        assertNull("client name", () -> context.clientName(null));
    }

    private static void assertNull(String name, Executable setter) {
        String text = assertThrows(NullPointerException.class, setter).getMessage();
        assertEquals("the " + name + " is null: pass a value", text);
    }

    @Test
    void defaultErrorHandlerPrintsSentenceOfBusException() {
        assertEquals(
                "verbus client: the driver is gone: start one\n",
                printed(new DriverLostException("the driver is gone: start one")));
    }

    @Test
    void defaultErrorHandlerPrintsStackTraceOfForeignException() {
        String text = printed(new IllegalArgumentException("boom"));
        assertTrue(
                text.startsWith("verbus client: java.lang.IllegalArgumentException: boom\n"), text);
        assertTrue(text.contains("at io.verbus.ContextTest.defaultErrorHandler"), text);
    }

    private String printed(Throwable error) {
        PrintStream before = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            context.errorHandler.onError(error);
        } finally {
            System.setErr(before);
        }
        return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }
}
