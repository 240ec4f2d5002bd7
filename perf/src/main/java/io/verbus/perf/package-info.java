// SPDX-License-Identifier: Apache-2.0

/** The commands that measure: {@code verbus perf}. */
package io.verbus.perf;
