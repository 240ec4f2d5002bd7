// SPDX-License-Identifier: Apache-2.0

/** {@code verbus report}: what a host with RDMA adapters shows, in one file to send. */
package io.verbus.perf.kit;
