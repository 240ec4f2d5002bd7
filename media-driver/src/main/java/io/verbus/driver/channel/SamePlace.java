// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.channel.ChannelUri;

import java.util.Objects;

/** Whether two channels send to, or through, the same place, whatever else they say. */
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
     * Whether a spy's channel names the channel of a publication: by its tag, or by its place. What
     * the spy omits may be any.
     */
    public static boolean isSpied(ChannelUri publication, ChannelUri spy) {
        return NamedPublications.hasSamePlaceTag(publication, spy)
                || of(publication, spy)
                        && (spy.localInterface() == null
                                || spy.localInterface().equals(publication.localInterface()));
    }
}
