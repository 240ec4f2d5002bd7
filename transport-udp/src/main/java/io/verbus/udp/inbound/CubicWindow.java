// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

/**
 * CUBIC (RFC 9438) at the receiver, in datagrams of the MTU. Until the first loss, the window
 * doubles each round trip. A loss reduces the window to 0.7 of its size, at most once per round
 * trip. The window then grows as a cubic function of time that is flat at the size before the loss,
 * and at least as fast as Reno's.
 *
 * <pre>
 *   window(t) = C (t - K)^3 + Wmax      K = cbrt(Wmax (1 - beta) / C)
 * </pre>
 */
final class CubicWindow implements CongestionControl {
    /** Initial window in datagrams, as in RFC 6928. */
    private static final int INITIAL = 10;

    private static final int LEAST = 2;
    private static final double BETA = 0.7;

    /** Datagrams per second cubed. */
    private static final double C = 0.4;

    /** Growth of Reno's window that matches BETA, in datagrams per round trip. */
    private static final double RENO = 3 * (1 - BETA) / (1 + BETA);

    /** Divisor for new measurements in the smoothed round-trip time, as in TCP. */
    private static final int RTT_WEIGHT = 8;

    private static final double NS_PER_S = 1e9;

    private final int mtu;
    private final int staticWindow;
    private final double most;
    private final double least;
    private double size;
    private double sizeAtLoss;
    private double reno;
    private double k;
    private boolean hasLost;
    private long lossNs;
    private long rttNs;

    /**
     * @param staticWindow maximum window in bytes.
     * @param mtu length of a datagram in bytes.
     * @param initialRttNs round-trip time to assume until one is measured.
     */
    CubicWindow(int staticWindow, int mtu, long initialRttNs) {
        this.mtu = mtu;
        this.staticWindow = staticWindow;
        most = Math.max(1, (double) staticWindow / mtu);
        least = Math.min(LEAST, most);
        size = Math.min(INITIAL, most);
        rttNs = initialRttNs;
    }

    @Override
    public int window() {
        return Math.min(Math.max((int) (size * mtu), Math.min(mtu, staticWindow)), staticWindow);
    }

    @Override
    public void onLoss(long nowNs) {
        if (hasLost && nowNs - lossNs < rttNs) {
            return; // same round trip as the previous loss
        }
        // A loss below the window of the previous loss releases bandwidth to other flows (fast
        // convergence).
        sizeAtLoss = hasLost && size < sizeAtLoss ? size * (1 + BETA) / 2 : size;
        size = Math.max(size * BETA, least);
        reno = size;
        k = Math.cbrt(sizeAtLoss * (1 - BETA) / C);
        hasLost = true;
        lossNs = nowNs;
    }

    @Override
    public void onProgress(long bytes, long nowNs) {
        if (size >= most) {
            return;
        }
        double datagrams = (double) bytes / mtu;
        if (!hasLost) {
            size = Math.min(size + datagrams, most);
            return;
        }
        reno += RENO * datagrams / Math.max(reno, 1);
        double t = (nowNs - lossNs) / NS_PER_S - k;
        double cubic = C * t * t * t + sizeAtLoss;
        size = Math.min(Math.max(size, Math.max(cubic, reno)), most);
    }

    @Override
    public boolean needsRoundTrip() {
        return true;
    }

    @Override
    public void onRoundTrip(long measuredNs) {
        rttNs += (measuredNs - rttNs) / RTT_WEIGHT;
    }
}
