// SPDX-License-Identifier: Apache-2.0

/**
 * The seam between the media driver and a transport: what each asks of the other, and how both
 * share out their duty cycles among streams.
 */
package io.verbus.transport;
