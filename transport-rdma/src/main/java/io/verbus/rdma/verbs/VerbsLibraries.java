// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

/** The C libraries themselves, apart from any device. */
public final class VerbsLibraries {
    private VerbsLibraries() {}

    /** What becomes of registered memory when the process forks. */
    public enum ForkSafety {
        /** The kernel copies pinned pages for the child. */
        UNNEEDED,

        /** The library marks registered pages, so that the child does not have them. */
        ENABLED,

        /** A page that the parent writes after a fork is no longer the one that the device uses. */
        DISABLED,

        /** The library is absent or too old to tell. */
        UNKNOWN
    }

    /**
     * Loads libibverbs and librdmacm.
     *
     * @throws VerbsException that names the missing one and its package.
     */
    public static void load() {
        Ibverbs.open();
        Rdmacm.open();
    }

    /**
     * Asks libibverbs what it knows of this kernel and of its own settings.
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
