// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;

import org.agrona.concurrent.status.CountersReader;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a driver holds: two are equal if nothing is left over.
 *
 * @param counters that are in use.
 * @param publications of its clients, those that linger included.
 * @param images that are received.
 * @param files in its directory.
 */
record Held(int counters, long publications, long images, long files) {
    /** Longer than publications linger and images survive. */
    private static final long SETTLED_NS = TimeUnit.SECONDS.toNanos(12);

    /** The resources that a driver holds now. */
    static Held of(Path directory) {
        try (CncFile cnc = CncFile.map(directory.resolve(CncFile.NAME))) {
            CountersReader reader = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
            int[] counters = new int[1];
            reader.forEach((id, type, key, label) -> counters[0]++);
            return new Held(
                    counters[0],
                    reader.getCounterValue(SystemCounter.PUBLICATIONS.ordinal()),
                    reader.getCounterValue(SystemCounter.IMAGES.ordinal()),
                    count(directory.toFile()));
        }
    }

    /** Names only: their targets may disappear at any time. */
    private static long count(File folder) {
        String[] names = folder.list();
        long count = 0;
        for (int i = 0; names != null && i < names.length; i++) {
            count += 1 + count(new File(folder, names[i]));
        }
        return count;
    }

    private static List<Held> of(List<Path> directories) {
        return directories.stream().map(Held::of).toList();
    }

    /** Resources of drivers once nothing has changed for longer than anything lingers. */
    static List<Held> settled(List<Path> directories) {
        List<Held> last = new ArrayList<>(of(directories));
        long[] sinceNs = {System.nanoTime()};
        Await.until(
                () -> "an end of changes, after " + last,
                120,
                () -> {
                    List<Held> now = of(directories);
                    if (!now.equals(last)) {
                        last.clear();
                        last.addAll(now);
                        sinceNs[0] = System.nanoTime();
                    }
                    return System.nanoTime() - sinceNs[0] > SETTLED_NS;
                });
        return List.copyOf(last);
    }
}
