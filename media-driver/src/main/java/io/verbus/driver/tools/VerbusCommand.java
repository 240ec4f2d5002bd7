// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

/**
 * A subcommand of {@code verbus} from any module on the class path, found by {@link
 * java.util.ServiceLoader}. It has picocli's {@code @Command} annotation with its name, and is a
 * {@code Callable<Integer>} that returns the exit status. It reports failure by throwing a {@link
 * io.verbus.BusException}, whose single sentence is printed to standard error.
 */
public interface VerbusCommand {}
