// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

/** Thrown if a demo fails. The message is one sentence with cause and remedy. */
public final class DemoException extends Exception {
    private static final long serialVersionUID = 1L;

    public DemoException(String message) {
        super(message);
    }

    public DemoException(String message, Throwable cause) {
        super(message, cause);
    }
}
