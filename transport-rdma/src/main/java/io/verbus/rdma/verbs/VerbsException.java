// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.FabricException;

import org.agrona.LangUtil;

/**
 * Thrown when a verbs call fails. The message is one sentence: what failed, the call with its
 * errno, and the remedy.
 */
public final class VerbsException extends FabricException {
    private static final long serialVersionUID = 1L;

    /** Errno of the failed call; 0 if there is none. */
    private final int errno;

    VerbsException(String message) {
        super(message);
        errno = 0;
    }

    VerbsException(String message, Throwable cause) {
        super(message, cause);
        errno = 0;
    }

    private VerbsException(String message, int errno) {
        super(message);
        this.errno = errno;
    }

    /**
     * @param call C name of the failed call.
     * @param errno errno of the call.
     * @param failure description of the failure, including the values that caused it.
     * @param remedy remedy; if empty, the usual remedy for the errno.
     */
    static VerbsException of(String call, int errno, String failure, String remedy) {
        String advice = remedy.isEmpty() ? usualRemedy(errno) : remedy;
        return new VerbsException(
                failure
                        + " ("
                        + call
                        + ": "
                        + Errno.describe(errno)
                        + ")"
                        + (advice.isEmpty() ? "" : ": " + advice),
                errno);
    }

    /** Handles unexpected errors of a fabric: rethrows every error except device warnings. */
    public static void rethrowUnlessWarning(Throwable error) {
        if (!error.getMessage().startsWith("WARN: ")) {
            LangUtil.rethrowUnchecked(error);
        }
    }

    /** Returns the errno of the failed call; 0 if there is none. */
    public int errno() {
        return errno;
    }

    static String usualRemedy(int errno) {
        return switch (errno) {
            case Errno.EPERM, Errno.EACCES ->
                    "give this user read and write access to /dev/infiniband (with group rdma, or"
                            + " the udev rules of rdma-core; for a container, pass the devices)";
            case Errno.ENOMEM -> outOfMemory(Posix.lockedMemoryLimit());
            case Errno.EAGAIN ->
                    "an rdma cgroup may limit this process: compare rdma.max with rdma.current in"
                        + " its cgroup, and raise hca_handle and hca_object (in Kubernetes, ask the"
                        + " administrator)";
            case Errno.ENODEV, Errno.ENOENT, Errno.ENOSYS ->
                    "load the device's driver and rdma_ucm (`modprobe rdma_ucm`); `rdma link` lists"
                            + " the devices";
            case Errno.EMFILE -> "raise the limit on open files (`ulimit -n`)";
            default -> "";
        };
    }

    /** Describes the three possible causes of the error; only the first can be checked. */
    static String outOfMemory(String limit) {
        String others =
                "the device may have run out of memory regions, queues or its own memory: compare"
                    + " `rdma resource` with the limits that `ibv_devinfo -v` prints, and use fewer"
                    + " or shorter logs, or huge pages";
        return limit.equals("unlimited")
                ? "locked memory is unlimited, so " + others
                : "the limit of locked memory is "
                        + limit
                        + "; raise it with `ulimit -l unlimited`, or LimitMEMLOCK=infinity in a"
                        + " systemd unit; otherwise "
                        + others;
    }
}
