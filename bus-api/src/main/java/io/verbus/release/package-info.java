// SPDX-License-Identifier: Apache-2.0

/** The Verbus build that a process runs. */
package io.verbus.release;
