// SPDX-License-Identifier: Apache-2.0

/** Measurement commands of {@code verbus perf}. */
package io.verbus.perf;
