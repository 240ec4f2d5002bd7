// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/**
 * The protocol versions that a driver speaks. Two drivers use the lower of their highest versions,
 * which both must speak. A release also speaks the version of the previous release.
 *
 * @param lowest lowest version that the driver speaks.
 * @param highest highest version that the driver speaks.
 */
public record Versions(int lowest, int highest) {
    /** Version without a version range in its hellos, and without authentication. */
    private static final int WITHOUT_RANGE = 3;

    /** Versions that this release speaks. */
    public static final Versions OURS = new Versions(WITHOUT_RANGE, 4);

    /** Result of {@link #common} if there is no common version. */
    public static final int NONE = 0;

    /**
     * Returns the versions of a peer's hello.
     *
     * @param lowest lowest version in the hello.
     * @param highest highest version in the hello; 0 if it contains a single version.
     */
    static Versions told(int lowest, int highest) {
        return new Versions(lowest, Math.max(lowest, highest));
    }

    /** Returns the highest version that both speak, or {@link #NONE}. */
    public int common(Versions other) {
        int common = Math.min(highest, other.highest);
        return common >= Math.max(lowest, other.lowest) ? common : NONE;
    }

    /** Returns whether there is no common version. */
    public boolean isStrangeTo(Versions other) {
        return common(other) == NONE;
    }

    /** Returns the schema version of a protocol version. */
    static int schema(int version) {
        return version - WITHOUT_RANGE;
    }

    /** Returns the error message for a peer without a common version, with the remedy. */
    public String differ(String peer) {
        return peer
                + " supports "
                + this
                + " of the protocol, but this driver supports "
                + OURS
                + ": update the older driver; each release also supports the previous version";
    }

    @Override
    public String toString() {
        return lowest == highest ? "version " + lowest : "versions " + lowest + " to " + highest;
    }
}
