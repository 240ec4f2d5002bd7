// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import io.verbus.BusException;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Handles SIGTERM and SIGINT. The JVM's own handlers would derive the exit status from the signal,
 * as if the process had been killed; these handlers let the process exit with its own status.
 */
public final class EndSignals {
    private static final String[] NAMES = {"TERM", "INT"};

    private EndSignals() {}

    /**
     * Runs an action when a signal arrives, instead of the JVM's exit. If the JVM leaves signals to
     * the system (-Xrs), the system's action remains.
     *
     * @param action action that any thread may run, once per signal.
     */
    public static void handle(Runnable action) {
        try {
            // Uses reflection, because the compiler warns about each use of sun.misc, and warnings
            // are errors.
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy =
                    Proxy.newProxyInstance(
                            handler.getClassLoader(),
                            new Class<?>[] {handler},
                            (self, method, arguments) -> {
                                action.run();
                                return null;
                            });
            for (String name : NAMES) {
                signal.getMethod("handle", signal, handler)
                        .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
            }
        } catch (InvocationTargetException taken) {
            if (!(taken.getCause() instanceof IllegalArgumentException)) {
                throw failed(taken);
            }
        } catch (ReflectiveOperationException e) {
            throw failed(e);
        }
    }

    private static BusException failed(ReflectiveOperationException e) {
        return new BusException(
                "cannot handle signals (" + e + "): use a JDK with the module jdk.unsupported", e);
    }
}
