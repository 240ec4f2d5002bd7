// SPDX-License-Identifier: Apache-2.0

/** Recording, replay and the way from a replay to the live stream, with Aeron's archive. */
package io.verbus.samples.archive;
