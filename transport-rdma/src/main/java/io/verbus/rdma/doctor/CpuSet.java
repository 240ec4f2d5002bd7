// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import java.util.BitSet;

/** A set of CPUs in the kernel's list format, such as {@code 0-3,8}. */
final class CpuSet {
    private static final int MAX = 1 << 16;

    private final BitSet cpus = new BitSet();

    private CpuSet() {}

    /** Parses a list; anything else, such as {@code (null)}, yields an empty set. */
    static CpuSet of(String list) {
        CpuSet set = new CpuSet();
        for (String range : list.split(",")) {
            String[] ends = range.strip().split("-");
            try {
                int first = Integer.parseInt(ends[0]);
                int last = Integer.parseInt(ends[ends.length - 1]);
                if (first >= 0 && first <= last && last < MAX) {
                    set.cpus.set(first, last + 1);
                }
            } catch (NumberFormatException noRange) {
                continue;
            }
        }
        return set;
    }

    boolean isEmpty() {
        return cpus.isEmpty();
    }

    int size() {
        return cpus.cardinality();
    }

    int[] all() {
        return cpus.stream().toArray();
    }

    boolean intersects(CpuSet other) {
        return cpus.intersects(other.cpus);
    }

    /** Returns whether all CPUs of this set are in the other. */
    boolean isWithin(CpuSet other) {
        BitSet rest = (BitSet) cpus.clone();
        rest.andNot(other.cpus);
        return rest.isEmpty();
    }
}
