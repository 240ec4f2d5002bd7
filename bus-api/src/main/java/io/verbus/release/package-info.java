// SPDX-License-Identifier: Apache-2.0

/** Which build of Verbus a process runs. */
package io.verbus.release;
