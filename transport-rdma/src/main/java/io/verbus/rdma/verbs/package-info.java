// SPDX-License-Identifier: Apache-2.0

/**
 * RDMA verbs in Java: thin, typed classes over libibverbs and librdmacm through {@code
 * java.lang.foreign}, and an implementation of {@link io.verbus.rdma.fabric} on top of them.
 *
 * <p>{@link io.verbus.rdma.verbs.VerbsFabric} establishes connections, {@link
 * io.verbus.rdma.verbs.Devices} lists the devices of this host, and every failure is a {@link
 * io.verbus.rdma.verbs.VerbsException} that names the call, the error and the remedy. Set-up and
 * data path are separate: {@code VerbsQueuePair}, {@code SendQueue}, {@code ReceiveQueue}, {@code
 * Completions} and {@code DataPathCalls} post and poll.
 */
package io.verbus.rdma.verbs;
