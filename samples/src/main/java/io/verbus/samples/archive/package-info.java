// SPDX-License-Identifier: Apache-2.0

/**
 * Records and replays a stream with Aeron's archive, and merges the replay with the live stream.
 */
package io.verbus.samples.archive;
