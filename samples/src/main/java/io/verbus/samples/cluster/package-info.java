// SPDX-License-Identifier: Apache-2.0

/** A replicated service: an order book on Aeron Cluster, whose media drivers are Verbus'. */
package io.verbus.samples.cluster;
