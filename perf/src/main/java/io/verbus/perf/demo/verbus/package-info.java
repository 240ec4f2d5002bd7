// SPDX-License-Identifier: Apache-2.0

/** The demo's publisher and subscriber with Verbus' client. */
package io.verbus.perf.demo.verbus;
