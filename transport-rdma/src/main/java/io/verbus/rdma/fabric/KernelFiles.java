// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.nio.file.Path;

/** Paths of the kernel's files for RDMA devices. */
public final class KernelFiles {
    /** Environment variable that replaces {@code /sys}, such as for a test's simulated devices. */
    private static final String SYSFS_VARIABLE = "VERBUS_TEST_SYSFS";

    /** Absolute path of {@link #DEVICES}, for hosts whose files are examined below another root. */
    public static final String DEVICES_PATH = "/sys/class/infiniband";

    /** Directory with one subdirectory per device. */
    public static final Path DEVICES =
            Path.of(System.getenv().getOrDefault(SYSFS_VARIABLE, "/sys"))
                    .resolve("class/infiniband");

    /** Device file of the connection manager. */
    public static final Path CONNECTION_MANAGER = Path.of("/dev/infiniband/rdma_cm");

    private KernelFiles() {}
}
