// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

/** Checks how many files a driver or a client may open. */
final class OpenFilesCheck {
    private static final String AREA = "open files";
    private static final String LIMIT = "Max open files";

    /** Files for hundreds of endpoints and clients, and for logs while they are created. */
    private static final long ENOUGH = 1024;

    private OpenFilesCheck() {}

    static void examine(FileTree files, Findings findings) {
        String limit =
                files.lines("/proc/self/limits").stream()
                        .filter(line -> line.startsWith(LIMIT))
                        .map(line -> line.substring(LIMIT.length()).strip().split("\\s+")[0])
                        .findFirst()
                        .orElse("");
        String remedy =
                "raise the limit with `ulimit -n 65536`, LimitNOFILE=65536 in the systemd unit, or"
                        + " `nofile 65536` in /etc/security/limits.conf";
        if (limit.equals("unlimited")) {
            findings.ok(AREA, "the number of open files is unlimited");
        } else if (!limit.matches("\\d{1,18}")) {
            findings.warning(AREA, "cannot read the limit on open files", remedy);
        } else if (Long.parseLong(limit) < ENOUGH) {
            findings.warning(
                    AREA,
                    "this process may open "
                            + limit
                            + " files, but a driver needs several files for each endpoint,"
                            + " device and client",
                    remedy);
        } else {
            findings.ok(AREA, "this process may open " + limit + " files");
        }
    }
}
