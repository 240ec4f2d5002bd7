// SPDX-License-Identifier: Apache-2.0

/** The log that a publication appends to and subscribers poll, in shared memory. */
package io.verbus.logbuffer;
