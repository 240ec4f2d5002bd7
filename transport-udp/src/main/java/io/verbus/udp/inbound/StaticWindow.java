// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

/** Constant window. */
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
        // no effect on the window
    }

    @Override
    public void onProgress(long bytes, long nowNs) {
        // no effect on the window
    }

    @Override
    public boolean needsRoundTrip() {
        return false;
    }

    @Override
    public void onRoundTrip(long rttNs) {
        // not needed
    }
}
