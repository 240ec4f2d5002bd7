// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/**
 * The versions of the protocol that a driver speaks. Two drivers use the lower of their highest
 * versions, which both must speak. A release speaks the version of the release before it, too.
 *
 * @param lowest that the driver speaks.
 * @param highest that the driver speaks.
 */
public record Versions(int lowest, int highest) {
    /** The one that has no range in its greetings, and no authentication. */
    private static final int WITHOUT_RANGE = 3;

    /** Those that this release speaks. */
    public static final Versions OURS = new Versions(WITHOUT_RANGE, 4);

    /** Of {@link #common} where there is none. */
    public static final int NONE = 0;

    /**
     * Those of a peer's greeting.
     *
     * @param lowest as told.
     * @param highest as told; 0 where the peer tells only one version.
     */
    static Versions told(int lowest, int highest) {
        return new Versions(lowest, Math.max(lowest, highest));
    }

    /** The version that both speak; {@link #NONE} if there is none. */
    public int common(Versions other) {
        int common = Math.min(highest, other.highest);
        return common >= Math.max(lowest, other.lowest) ? common : NONE;
    }

    /** Whether the two do not understand each other. */
    public boolean isStrangeTo(Versions other) {
        return common(other) == NONE;
    }

    /** Version of the messages' schema that belongs to a version of the protocol. */
    static int schema(int version) {
        return version - WITHOUT_RANGE;
    }

    /** Tells that a peer speaks none of this release's versions, with the remedy. */
    public String differ(String peer) {
        return peer
                + " speaks "
                + this
                + " of the protocol, this one "
                + OURS
                + ": update the older of the two; a release speaks with the one before it";
    }

    @Override
    public String toString() {
        return lowest == highest ? "version " + lowest : "versions " + lowest + " to " + highest;
    }
}
