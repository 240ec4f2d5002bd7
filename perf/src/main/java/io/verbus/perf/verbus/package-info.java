// SPDX-License-Identifier: Apache-2.0

/** The round trips on Verbus. */
package io.verbus.perf.verbus;
