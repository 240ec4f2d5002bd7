// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.RemoteKey;

/**
 * From where to where a log is written.
 *
 * @param localLog address of the publication log's first term.
 * @param localKey of the publication log.
 * @param zero address of eight bytes that are zero for ever.
 * @param zeroKey of these.
 * @param remoteLog address of the image log's first term in the peer.
 * @param remoteKey of the image log: its three terms.
 * @param termLength of both logs in bytes.
 */
public record LogPath(
        long localLog,
        LocalKey localKey,
        long zero,
        LocalKey zeroKey,
        long remoteLog,
        RemoteKey remoteKey,
        int termLength) {}
