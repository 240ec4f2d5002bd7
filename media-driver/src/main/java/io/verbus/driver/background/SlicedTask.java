// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

/** Work that is done in slices, so that other work comes in between. */
public interface SlicedTask {
    /**
     * Does the next slice. Thread of {@link Background}.
     *
     * @return whether that was the last.
     */
    boolean work();

    /**
     * The last slice is done. Conductor's thread; not called when the driver closes meanwhile.
     *
     * @param failure what a slice threw, which then was the last; or null.
     */
    void onDone(RuntimeException failure);
}
