// SPDX-License-Identifier: Apache-2.0

/** A replicated service: an order book on Aeron Cluster with Verbus media drivers. */
package io.verbus.samples.cluster;
