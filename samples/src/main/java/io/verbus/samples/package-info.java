// SPDX-License-Identifier: Apache-2.0

/** Programs to read and to run. */
package io.verbus.samples;
