// SPDX-License-Identifier: Apache-2.0

/** Sample programs. */
package io.verbus.samples;
