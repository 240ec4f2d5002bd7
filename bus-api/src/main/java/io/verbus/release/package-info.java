// SPDX-License-Identifier: Apache-2.0

/** Build of Verbus that a process runs. */
package io.verbus.release;
