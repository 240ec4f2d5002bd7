// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.verbs.VerbsException;

/** Checks that the verbs libraries can be loaded. */
final class LibraryCheck {
    private static final String AREA = "libraries";

    private LibraryCheck() {}

    static void examine(Host host, Findings findings) {
        try {
            host.calls().loadLibraries();
            findings.ok(AREA, "libibverbs and librdmacm are installed");
        } catch (VerbsException missing) {
            // Its message ends with the remedy, after a colon.
            String message = missing.getMessage();
            int end = message.indexOf(": ");
            findings.error(
                    AREA,
                    end < 0 ? message : message.substring(0, end),
                    end < 0 ? "install rdma-core 15 or later" : message.substring(end + 2));
        }
    }
}
