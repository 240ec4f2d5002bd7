// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import java.util.Arrays;

/**
 * The publications that continue while only spies read them. The conductor adds and removes
 * publications; the sender services all of them in each duty cycle.
 */
public final class SpiedPublications {
    private static final NetworkPublication[] NONE = new NetworkPublication[0];

    /**
     * Replaced by the conductor with a new array on each change; read by the sender once per duty
     * cycle.
     */
    private volatile NetworkPublication[] all = NONE;

    /**
     * Adds a publication if its channel has {@code ssc=true}, which means that a spy alone makes it
     * connected. Called by the conductor.
     */
    void add(Publication publication) {
        if (publication instanceof NetworkPublication network
                && publication.named().spiesConnect()) {
            NetworkPublication[] more = Arrays.copyOf(all, all.length + 1);
            more[all.length] = network;
            all = more;
        }
    }

    /** Removes a free publication. Called by the conductor. */
    void remove(Publication publication) {
        if (publication.named().spiesConnect()) {
            all =
                    Arrays.stream(all)
                            .filter(other -> other != publication)
                            .toArray(NetworkPublication[]::new);
        }
    }

    /** Runs the duty cycle; returns the work count. Called by the sender. */
    public int work() {
        int work = 0;
        NetworkPublication[] publications = all;
        for (int i = 0; i < publications.length; i++) {
            work += publications[i].followSpies();
        }
        return work;
    }
}
