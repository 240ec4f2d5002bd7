// SPDX-License-Identifier: Apache-2.0

/**
 * The API that applications use: the bus, publications, subscriptions, images, handlers and
 * exceptions. {@link io.verbus.channel.ChannelUri} parses and builds channels.
 */
package io.verbus;
