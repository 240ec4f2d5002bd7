// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import io.verbus.BusException;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * SIGTERM and SIGINT, which tell a process to end. The JVM's own handlers end it with the signal's
 * number as status, as if it had been killed; here the process ends itself, and says how it went.
 */
public final class EndSignals {
    private static final String[] NAMES = {"TERM", "INT"};

    private EndSignals() {}

    /**
     * Has an action run when a signal comes, instead of the JVM's exit. Where the JVM leaves
     * signals to the system (-Xrs), the system's action stays.
     *
     * @param action that any thread may run, once for each signal.
     */
    public static void handle(Runnable action) {
        try {
            // By name: the compiler warns of each use of sun.misc, and warnings are errors.
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
                "signals cannot be handled (" + e + "): use a JDK with the module jdk.unsupported",
                e);
    }
}
