// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.channel.ChannelUri;

import java.util.Objects;

/** Compares the addresses of channels, ignoring their other parameters. */
public final class SamePlace {
    private SamePlace() {}

    public static boolean of(ChannelUri one, ChannelUri other) {
        return one.media().equals(other.media())
                && one.isManual() == other.isManual()
                && one.response().isResponse() == other.response().isResponse()
                && one.hasEndpoint() == other.hasEndpoint()
                && (!one.hasEndpoint() || one.endpoint().equals(other.endpoint()))
                && Objects.equals(one.control(), other.control());
    }

    /**
     * Returns whether a spy's channel matches a publication's channel, by tag or by address. Parts
     * that the spy's channel omits match anything.
     */
    public static boolean isSpied(ChannelUri publication, ChannelUri spy) {
        return NamedPublications.hasSamePlaceTag(publication, spy)
                || of(publication, spy)
                        && (spy.localInterface() == null
                                || spy.localInterface().equals(publication.localInterface()));
    }
}
