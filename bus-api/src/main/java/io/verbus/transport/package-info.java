// SPDX-License-Identifier: Apache-2.0

/** The seam between the media driver and a transport: what each asks of the other. */
package io.verbus.transport;
