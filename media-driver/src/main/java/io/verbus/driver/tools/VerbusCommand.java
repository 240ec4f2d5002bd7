// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

/**
 * A subcommand of {@code verbus} from any module on the class path, found by {@link
 * java.util.ServiceLoader}. It carries picocli's {@code @Command} with its name, and is a {@code
 * Callable<Integer>} that returns the exit status. What fails is thrown as a {@link
 * io.verbus.BusException}, whose one sentence goes to the standard error stream.
 */
public interface VerbusCommand {}
