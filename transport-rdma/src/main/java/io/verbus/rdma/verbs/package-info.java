// SPDX-License-Identifier: Apache-2.0

/**
 * RDMA verbs from Java: thin, typed classes over libibverbs and librdmacm through {@code
 * java.lang.foreign}, and on them the implementation of {@link io.verbus.rdma.fabric}.
 *
 * <p>{@link io.verbus.rdma.verbs.VerbsFabric} makes connections, {@link
 * io.verbus.rdma.verbs.Devices} lists the devices of this host, and every failure is a {@link
 * io.verbus.rdma.verbs.VerbsException} that names the call, the error and the remedy. Set-up code
 * and data path are in different classes: what posts and polls is {@code VerbsQueuePair}, {@code
 * SendQueue}, {@code ReceiveQueue}, {@code Completions} and {@code DataPathCalls}.
 */
package io.verbus.rdma.verbs;
