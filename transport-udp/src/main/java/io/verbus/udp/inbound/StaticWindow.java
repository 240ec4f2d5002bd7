// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

/** A window that nothing changes. */
final class StaticWindow implements CongestionControl {
    private final int window;

    StaticWindow(int window) {
        this.window = window;
    }

    @Override
    public int window() {
        return window;
    }

    @Override
    public void onLoss(long nowNs) {
        // What is lost is asked for again, no more.
    }

    @Override
    public void onProgress(long bytes, long nowNs) {
        // Nothing to learn from it.
    }

    @Override
    public boolean needsRoundTrip() {
        return false;
    }

    @Override
    public void onRoundTrip(long rttNs) {
        // Of no interest.
    }
}
