// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.transport.OutboundStream;

/** What the conductor knows of a publication: its log's registration and its transfer. */
final class OutboundPublication {
    final OutboundStream stream;

    /** Registration of the log in the endpoint's domain, or null. */
    RegisteredMemory log;

    /** On the connection that stands, or null. */
    Transfer transfer;

    /** The driver has closed it. */
    boolean closing;

    /** Its log is damaged: it is sent no more. */
    boolean broken;

    /** What its clients were told last, or null. */
    String told;

    OutboundPublication(OutboundStream stream) {
        this.stream = stream;
    }

    void closeLog() {
        if (log != null) {
            log.close();
            log = null;
        }
    }
}
