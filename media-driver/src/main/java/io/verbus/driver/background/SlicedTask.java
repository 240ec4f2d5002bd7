// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

/** Work done in slices, so that other work can run in between. */
public interface SlicedTask {
    /**
     * Runs the next slice. Called by a thread of {@link Background}.
     *
     * @return whether it was the last.
     */
    boolean work();

    /**
     * Handles the end of the last slice. Called by the conductor's thread; not called if the driver
     * closes in the meantime.
     *
     * @param failure exception of the last slice; or null.
     */
    void onDone(RuntimeException failure);
}
