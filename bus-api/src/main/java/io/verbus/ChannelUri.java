// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/** Placeholder. */
public final class ChannelUri {}
