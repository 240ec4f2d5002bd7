// SPDX-License-Identifier: Apache-2.0

/**
 * The interface between the media driver and a transport, and the scheduling of streams in their
 * duty cycles.
 */
package io.verbus.transport;
