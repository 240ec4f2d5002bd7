// SPDX-License-Identifier: Apache-2.0

/**
 * What an application imports: the bus, publications, subscriptions, images, handlers and
 * exceptions. Channels can be taken apart with {@link io.verbus.channel.ChannelUri}.
 */
package io.verbus;
