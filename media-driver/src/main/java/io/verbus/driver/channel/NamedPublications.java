// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.DerivedChannels;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.CommandException;
import io.verbus.logbuffer.LogSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Finds publications, including those whose logs are being created, by address, stream and session,
 * or by tag. Used by the conductor's thread.
 */
public final class NamedPublications {
    /** A publication, or one that is being created. */
    public interface Named {
        LogSpec spec();

        /** Returns the channel as the client wrote it, whichever transport carries it. */
        ChannelUri named();
    }

    /** Value that an error message shows for a publication without timestamps, as in Aeron. */
    private static final int NO_TIMESTAMP = -1;

    private final List<Named> all = new ArrayList<>();

    public void add(Named publication) {
        all.add(publication);
    }

    public void remove(Named publication) {
        all.remove(publication);
    }

    /**
     * Returns a channel with the address that it refers to by tag.
     *
     * @throws CommandException if no address has the tag, or the channel names a different one.
     */
    public ChannelUri placed(ChannelUri channel) {
        for (Named each : all) {
            if (hasSamePlaceTag(each.named(), channel)) {
                return placed(channel, each.named());
            }
        }
        return placed(channel, null);
    }

    /** Returns whether two channels of the same media refer to their address by the same tag. */
    public static boolean hasSamePlaceTag(ChannelUri one, ChannelUri other) {
        OptionalLong tag = one.tags().place();
        return tag.isPresent()
                && tag.equals(other.tags().place())
                && one.media().equals(other.media())
                && !one.isIpc();
    }

    /**
     * Returns a channel with the address that it refers to by tag.
     *
     * @param tagged channel with the same tag; null if there is none.
     * @throws CommandException if no address has the tag, or the channel names a different one.
     */
    public static ChannelUri placed(ChannelUri channel, ChannelUri tagged) {
        if (tagged != null) {
            return DerivedChannels.atAddressOf(channel, tagged);
        }
        if (!channel.isIpc()
                && !channel.hasEndpoint()
                && channel.control() == null
                && !channel.isManual()
                && !channel.response().isResponse()) {
            throw invalid(
                    "channel '"
                            + channel
                            + "' specifies only a tag, but no open channel has the tag: "
                            + "specify the endpoint, or first add the channel with the "
                            + "tag");
        }
        return channel;
    }

    /**
     * Checks that no publication has the channel's own tag.
     *
     * @throws CommandException if a publication has it.
     */
    public void checkTagFree(ChannelUri channel) {
        OptionalLong tag = channel.tags().publication();
        for (Named each : all) {
            if (tag.isPresent() && each.named().tags().publication().equals(tag)) {
                throw invalid(
                        "tag "
                                + tag.getAsLong()
                                + " is already used by the publication on '"
                                + each.named()
                                + "': choose another tag");
            }
        }
    }

    /**
     * Returns the publication whose session a channel refers to by tag; null if the channel has no
     * such tag.
     *
     * @throws CommandException if there is no such publication on the same kind of channel.
     */
    public LogSpec tagged(ChannelUri channel) {
        OptionalLong tag = channel.sessionTag();
        if (tag.isEmpty()) {
            return null;
        }
        for (Named each : all) {
            if (each.named().isIpc() == channel.isIpc()
                    && each.named().tags().publication().equals(tag)) {
                return each.spec();
            }
        }
        throw invalid(
                "channel '"
                        + channel
                        + "' refers to the session of an unknown publication: session-id must "
                        + "reference the tag of "
                        + (channel.isIpc() ? "an IPC" : "a network")
                        + " publication that already exists");
    }

    /** Returns whether a publication of the stream has the session id on any channel. */
    public boolean isSessionUsed(int streamId, int sessionId) {
        for (Named each : all) {
            if (each.spec().streamId() == streamId && each.spec().sessionId() == sessionId) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a publication of the stream has the session id at the channel's address. */
    public boolean isSessionTaken(int streamId, int sessionId, ChannelUri channel) {
        for (Named each : all) {
            if (each.spec().sessionId() == sessionId && isSameStream(each, streamId, channel)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSameStream(Named existing, int streamId, ChannelUri channel) {
        return existing.spec().streamId() == streamId
                && SamePlace.of(existing.named(), channel)
                && Objects.equals(existing.named().localInterface(), channel.localInterface());
    }

    /**
     * Returns whether a concurrent publication that is being added shares an existing one.
     *
     * @throws CommandException if the channel conflicts with the existing publication.
     */
    public static boolean isShared(Named existing, int streamId, ChannelUri channel) {
        boolean hasSameTag = hasSamePlaceTag(existing.named(), channel);
        boolean hasOtherTag =
                !channel.isIpc()
                        && !hasSameTag
                        && channel.tags().place().isPresent()
                        && existing.named().tags().place().isPresent();
        if (channel.isManual() && !hasSameTag
                || hasOtherTag
                || !channel.response().equals(existing.named().response())
                || !isSameStream(existing, streamId, channel)) {
            return false;
        }
        checkSame(existing, channel);
        return true;
    }

    private static void checkSame(Named existing, ChannelUri channel) {
        LogSpec spec = existing.spec();
        checkSame("session-id", channel.sessionId().orElse(spec.sessionId()), spec.sessionId());
        checkSame(
                "term-length",
                channel.hasTermLength() ? channel.termLength() : spec.termLength(),
                spec.termLength());
        checkSame("mtu", channel.hasMtu() ? channel.mtu() : spec.mtu(), spec.mtu());
        if (channel.start() != null) {
            checkSame("init-term-id", channel.start().initialTermId(), spec.initialTermId());
            checkSame(
                    "starting position",
                    channel.start().position(spec.termLength()),
                    spec.position());
        }
        checkSame(
                "channel-snd-ts-offset",
                channel.timestamps().send().orElse(NO_TIMESTAMP),
                existing.named().timestamps().send().orElse(NO_TIMESTAMP));
        checkSame("ssc", channel.spiesConnect(), existing.named().spiesConnect());
        if (!channel.fabric().isWithin(existing.named().fabric())) {
            throw invalid(
                    "channel '"
                            + channel
                            + "' has different fabric options from '"
                            + existing.named()
                            + "', whose publication the channel shares: use the same options");
        }
    }

    private static void checkSame(String key, Object asked, Object existing) {
        if (!asked.equals(existing)) {
            throw invalid(
                    "the channel sets "
                            + key
                            + " "
                            + asked
                            + ", but the shared publication of this stream has "
                            + key
                            + " "
                            + existing
                            + ": use the same value, or add an exclusive publication");
        }
    }

    private static CommandException invalid(String message) {
        return new CommandException(ErrorCode.INVALID_CHANNEL, message);
    }
}
