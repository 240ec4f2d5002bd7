// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.transport.Finding;
import io.verbus.transport.Finding.Level;

import java.util.ArrayList;
import java.util.List;

/** Collects findings, grouped by area in the order in which the areas first occurred. */
final class Findings {
    private final List<Finding> all = new ArrayList<>();

    void ok(String area, String text) {
        add(new Finding(Level.OK, area, text, ""));
    }

    void warning(String area, String text, String remedy) {
        add(new Finding(Level.WARNING, area, text, remedy));
    }

    void error(String area, String text, String remedy) {
        add(new Finding(Level.ERROR, area, text, remedy));
    }

    private void add(Finding finding) {
        int after = all.size();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).area().equals(finding.area())) {
                after = i + 1;
            }
        }
        all.add(after, finding);
    }

    List<Finding> list() {
        return List.copyOf(all);
    }
}
