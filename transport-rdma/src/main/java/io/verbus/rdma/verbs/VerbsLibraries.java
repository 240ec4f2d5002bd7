// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

/** Loads and queries the C libraries, independently of any device. */
public final class VerbsLibraries {
    private VerbsLibraries() {}

    /** Effect of a fork on registered memory. */
    public enum ForkSafety {
        /** The kernel copies pinned pages for the child. */
        UNNEEDED,

        /** The library marks registered pages, so that the child does not inherit them. */
        ENABLED,

        /**
         * After a fork, the parent writes to new copies of pages while the device still uses the
         * old pages.
         */
        DISABLED,

        /** The library is absent, or too old to report it. */
        UNKNOWN
    }

    /**
     * Loads libibverbs and librdmacm.
     *
     * @throws VerbsException if a library is missing; the message names it and its package.
     */
    public static void load() {
        Ibverbs.open();
        Rdmacm.open();
    }

    /**
     * Returns the fork safety that results from this kernel and the settings of libibverbs.
     *
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_fork_init.3.html">ibv_fork_init</a>
     */
    public static ForkSafety forkSafety() {
        try {
            return switch ((int)
                    SharedLibrary.open(Ibverbs.NAME).function("ibv_is_fork_initialized").call(0)) {
                case 0 -> ForkSafety.DISABLED;
                case 1 -> ForkSafety.ENABLED;
                case 2 -> ForkSafety.UNNEEDED;
                default -> ForkSafety.UNKNOWN;
            };
        } catch (VerbsException absent) {
            return ForkSafety.UNKNOWN;
        }
    }
}
