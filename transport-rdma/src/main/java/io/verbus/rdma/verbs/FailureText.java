// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

/** Describes failures of a queue pair. Called once per failure. */
final class FailureText {
    private final Ibverbs ibverbs;

    FailureText(Ibverbs ibverbs) {
        this.ibverbs = ibverbs;
    }

    /**
     * @param work failed work, such as "a write or send".
     * @param status status of the work completion.
     * @param vendorError vendor error of the work completion.
     */
    String completion(String work, int status, int vendorError) {
        String explanation = explain(status);
        return work
                + " failed: "
                + ibverbs.statusText(status)
                + " (status "
                + status
                + ", vendor error 0x"
                + Integer.toHexString(vendorError)
                + ")"
                + (explanation.isEmpty() ? "" : ": " + explanation);
    }

    /**
     * @param call C name of the failed call.
     * @param errno errno of the call.
     */
    String call(String call, int errno) {
        return call + " failed (" + Errno.describe(errno) + ")";
    }

    private static String explain(int status) {
        return switch (status) {
            case VerbsAbi.IBV_WC_LOC_LEN_ERR ->
                    "the peer's message is longer than the receive slot";
            case VerbsAbi.IBV_WC_LOC_QP_OP_ERR ->
                    "the local device could not execute the request; check its link";
            case VerbsAbi.IBV_WC_LOC_PROT_ERR ->
                    "the local key does not cover the memory, or does not permit writing";
            case VerbsAbi.IBV_WC_WR_FLUSH_ERR ->
                    "the connection had already ended, or the peer violated the protocol";
            case VerbsAbi.IBV_WC_REM_ACCESS_ERR ->
                    "the remote key is unknown in the peer's protection domain, or does not cover"
                            + " the range";
            case VerbsAbi.IBV_WC_REM_INV_REQ_ERR, VerbsAbi.IBV_WC_REM_OP_ERR ->
                    "the peer could not execute the request";
            case VerbsAbi.IBV_WC_RETRY_EXC_ERR ->
                    "the peer no longer acknowledges: its host is down, or the path is interrupted";
            case VerbsAbi.IBV_WC_RNR_RETRY_EXC_ERR ->
                    "the peer has no free receive slot for a control message";
            default -> "";
        };
    }
}
