// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import org.agrona.SystemUtil;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks that logs can be pinned, and which memory they use. */
final class MemoryCheck {
    private static final String AREA = "memory";

    /** Bytes of a log with the default term length of 16 MiB: three terms. */
    private static final long LOG = 48L << 20;

    /** Number of logs, of publications and images, in a small set-up. */
    private static final int FEW = 8;

    private static final int CAP_IPC_LOCK = 14;

    /** Default size of /dev/shm in containers. */
    private static final long CONTAINER_SHM = 64L << 20;

    private static final String THP = "/sys/kernel/mm/transparent_hugepage";
    private static final Pattern RELEASE = Pattern.compile("(\\d+)\\.(\\d+).*");

    private MemoryCheck() {}

    /**
     * @param isForRdma whether devices are to write the memory.
     * @param hardware whether there is an adapter, which needs fewer translations with huge pages.
     */
    static void examine(Host host, boolean isForRdma, boolean hardware, Findings findings) {
        if (isForRdma) {
            examineLimit(host.files(), findings);
        }
        examineSharedMemory(host, isForRdma, findings);
        examineHugePages(host.files(), hardware, findings);
        if (isForRdma) {
            examineFork(host, findings);
        }
    }

    private static void examineLimit(FileTree files, Findings findings) {
        String limit =
                files.lines("/proc/self/limits").stream()
                        .filter(line -> line.startsWith("Max locked memory"))
                        .map(line -> line.substring("Max locked memory".length()).strip())
                        .map(line -> line.split("\\s+")[0])
                        .findFirst()
                        .orElse("");
        String remedy =
                "raise the limit with `ulimit -l unlimited`, LimitMEMLOCK=infinity in the systemd"
                    + " unit, or `memlock unlimited` in /etc/security/limits.conf; for a container,"
                    + " use --ulimit memlock=-1";
        if (limit.equals("unlimited")) {
            findings.ok(AREA, "locked memory is unlimited");
        } else if (mayLockAll(files)) {
            findings.ok(AREA, "locked memory is unlimited, because the process has CAP_IPC_LOCK");
        } else if (!limit.matches("\\d{1,18}")) {
            findings.warning(AREA, "cannot read the locked-memory limit", remedy);
        } else {
            long bytes = Long.parseLong(limit);
            String text =
                    "locked memory is limited to %s, and each publication and image locks %s by"
                                    .formatted(size(bytes), size(LOG))
                            + " default"
                            + capability(files);
            if (bytes < LOG) {
                findings.error(AREA, text, remedy);
            } else if (bytes < FEW * LOG) {
                findings.warning(AREA, text, remedy);
            } else {
                findings.ok(AREA, text);
            }
        }
    }

    /** Returns whether CAP_IPC_LOCK is effective, which requires the initial user namespace. */
    private static boolean mayLockAll(FileTree files) {
        String[] mapping = files.read("/proc/self/uid_map").split("\\s+");
        return hasCapability(files, "CapEff")
                && List.of(mapping).equals(List.of("0", "0", "4294967295"));
    }

    /** Explains why the capability has no effect. */
    private static String capability(FileTree files) {
        if (hasCapability(files, "CapEff")) {
            return "; CAP_IPC_LOCK is effective only in a user namespace, where it does not lift"
                    + " the limit";
        }
        return hasCapability(files, "CapBnd")
                ? "; CAP_IPC_LOCK is in the bounding set but not effective, as is usual for users"
                        + " other than root"
                : "";
    }

    private static boolean hasCapability(FileTree files, String set) {
        String bits = files.field("/proc/self/status", set);
        return bits.matches("[0-9a-f]{1,16}")
                && (Long.parseUnsignedLong(bits, 16) >> CAP_IPC_LOCK & 1) == 1;
    }

    private static void examineSharedMemory(Host host, boolean isForRdma, Findings findings) {
        boolean tmpfs =
                host.files().mounts().stream()
                        .anyMatch(mount -> mount[1].equals("/dev/shm") && mount[2].equals("tmpfs"));
        Host.Space space = host.calls().space("/dev/shm");
        if (!tmpfs || space == null) {
            String remedy =
                    "`mount -t tmpfs tmpfs /dev/shm`, or set verbus.dir to a directory on a tmpfs";
            if (isForRdma) {
                findings.error(
                        AREA,
                        "/dev/shm is not a tmpfs, and the kernel does not allow remote writes to"
                                + " files on a disk",
                        remedy);
            } else {
                findings.warning(
                        AREA, "/dev/shm is not a tmpfs, and logs on a disk are slow", remedy);
            }
            return;
        }
        boolean isContainers = space.total() == CONTAINER_SHM;
        String text =
                "/dev/shm has %s free of %s%s, and each publication and image takes %s by default"
                        .formatted(
                                size(space.free()),
                                size(space.total()),
                                isContainers ? " (the default size in containers)" : "",
                                size(LOG));
        String remedy =
                isContainers
                        ? "start the container with --shm-size=8g, or on Kubernetes mount an"
                                + " emptyDir with medium Memory at /dev/shm"
                        : "`mount -o remount,size=8g /dev/shm` (for a container, --shm-size),"
                                + " remove files that drivers left there, or lower"
                                + " verbus.term-length";
        if (space.free() < LOG) {
            findings.error(AREA, text, remedy);
        } else if (space.free() < FEW * LOG) {
            findings.warning(AREA, text, remedy);
        } else {
            findings.ok(AREA, text);
        }
    }

    private static void examineHugePages(FileTree files, boolean hardware, Findings findings) {
        String reserved = files.field("/proc/meminfo", "HugePages_Total");
        String mounted =
                files.mounts().stream()
                        .filter(mount -> mount[2].equals("hugetlbfs"))
                        .map(mount -> mount[1])
                        .findFirst()
                        .orElse("");
        if (reserved.matches("\\d+") && !reserved.matches("0+") && !mounted.isEmpty()) {
            findings.ok(
                    AREA,
                    "%s huge pages of %s are reserved (%s free), and hugetlbfs is mounted at %s"
                            .formatted(
                                    reserved,
                                    files.field("/proc/meminfo", "Hugepagesize"),
                                    files.field("/proc/meminfo", "HugePages_Free"),
                                    mounted));
        } else {
            findings.ok(
                    AREA,
                    "no huge pages can be used: %s reserved, hugetlbfs %s"
                            .formatted(
                                    reserved.isEmpty() ? "none" : reserved,
                                    mounted.isEmpty() ? "not mounted" : "mounted at " + mounted));
        }
        String options =
                files.mounts().stream()
                        .filter(mount -> mount[1].equals("/dev/shm"))
                        .map(mount -> mount[3])
                        .findFirst()
                        .orElse("");
        boolean huge =
                List.of(options.split(",")).stream()
                        .anyMatch(option -> option.matches("huge=(always|within_size)"));
        String enabled = files.selected(THP + "/enabled");
        String text =
                huge
                        ? "files in /dev/shm use huge pages"
                        : "files in /dev/shm use small pages, which cost an adapter more address"
                                + " look-ups than huge pages";
        text += enabled.isEmpty() ? "" : "; transparent huge pages: " + enabled;
        if (huge || !hardware) {
            findings.ok(AREA, text);
        } else {
            findings.warning(AREA, text, "`mount -o remount,huge=within_size /dev/shm`");
        }
    }

    private static void examineFork(Host host, Findings findings) {
        String release = host.files().read("/proc/sys/kernel/osrelease");
        switch (host.calls().forkSafety()) {
            case UNNEEDED -> findings.ok(AREA, "forks are safe: the kernel copies pinned pages");
            case ENABLED ->
                    findings.ok(AREA, "forks are safe: libibverbs excludes pinned pages from them");
            case DISABLED, UNKNOWN -> {
                if (copiesPinnedPages(release)) {
                    findings.ok(AREA, "forks are safe: kernel " + release + " copies pinned pages");
                } else {
                    findings.warning(
                            AREA,
                            "on kernel "
                                    + release
                                    + ", a native fork in a process that embeds a driver could"
                                    + " detach the driver's memory from the device",
                            "set RDMAV_FORK_SAFE=1 for such a process; processes that Java starts"
                                    + " are safe");
                }
            }
        }
    }

    /** Returns whether the kernel copies pinned pages, as Linux does since 5.12. */
    private static boolean copiesPinnedPages(String release) {
        Matcher version = RELEASE.matcher(release);
        if (!version.matches()) {
            return false;
        }
        int major = Integer.parseInt(version.group(1));
        return major > 5 || major == 5 && Integer.parseInt(version.group(2)) >= 12;
    }

    private static String size(long bytes) {
        // Agrona formats sizes as bytes unless they are a whole number of a unit.
        return SystemUtil.formatSize(bytes >= 1 << 20 ? bytes >> 20 << 20 : bytes);
    }
}
