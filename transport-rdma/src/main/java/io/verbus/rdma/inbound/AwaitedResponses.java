// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

/** The responses of one session, which a subscription awaits. */
record AwaitedResponses(int streamId, int sessionId) {}
