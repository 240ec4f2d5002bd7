// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.channel.ChannelUri;

import java.util.Objects;

/** Whether two channels send to, or through, the same place, whatever else they say. */
final class SamePlace {
    private SamePlace() {}

    static boolean of(ChannelUri one, ChannelUri other) {
        return one.media().equals(other.media())
                && one.isManual() == other.isManual()
                && one.hasEndpoint() == other.hasEndpoint()
                && (!one.hasEndpoint() || one.endpoint().equals(other.endpoint()))
                && Objects.equals(one.control(), other.control());
    }

    /** Whether a spy's channel names the channel of a publication; what it omits may be any. */
    static boolean isSpied(ChannelUri publication, ChannelUri spy) {
        return of(publication, spy)
                && (spy.interfaceAddress() == null
                        || spy.interfaceAddress().equals(publication.interfaceAddress()));
    }
}
