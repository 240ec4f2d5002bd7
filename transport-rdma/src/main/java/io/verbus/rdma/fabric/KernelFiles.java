// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.nio.file.Path;

/** Where the kernel describes RDMA devices. The one place that names it. */
public final class KernelFiles {
    /** Names another sysfs, such as that of a test's own devices. */
    private static final String SYSFS_VARIABLE = "VERBUS_TEST_SYSFS";

    /** The same on a host whose files are looked at below another root. */
    public static final String DEVICES_PATH = "/sys/class/infiniband";

    /** One folder per device. */
    public static final Path DEVICES =
            Path.of(System.getenv().getOrDefault(SYSFS_VARIABLE, "/sys"))
                    .resolve("class/infiniband");

    /** Device file of the connection manager. */
    public static final Path CONNECTION_MANAGER = Path.of("/dev/infiniband/rdma_cm");

    private KernelFiles() {}
}
