// SPDX-License-Identifier: Apache-2.0

/** Recording, replay, and merging a replay with the live stream, with Aeron's archive. */
package io.verbus.samples.archive;
