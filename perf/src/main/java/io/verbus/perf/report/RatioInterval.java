// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import java.util.Arrays;
import java.util.List;

/**
 * Confidence interval for the ratio of two samples, by ranks (Hodges and Lehmann, after Mann and
 * Whitney): the estimate is the median of the ratios of each value of one sample to each of the
 * other, and the bounds are two of these ratios. The confidence is exact for any distribution if
 * both samples are independent and differ only by a factor; if values are equal, it is at least
 * that.
 *
 * @param ratio estimate.
 * @param low lower bound.
 * @param high upper bound.
 * @param confidence probability with which such intervals contain the true ratio; below {@link
 *     #CONFIDENCE} if there are too few values, and then the interval has all ratios.
 */
record RatioInterval(double ratio, double low, double high, double confidence) {
    /** Confidence to reach. */
    static final double CONFIDENCE = 0.95;

    /** Size of a sample above which the ranks are taken as normally distributed. */
    private static final int EXACT = 25;

    /** Quantile of the normal distribution for {@link #CONFIDENCE}. */
    private static final double NORMAL = 1.959964;

    /**
     * Returns the interval of the second sample divided by the first.
     *
     * @param before positive values.
     * @param after positive values.
     */
    static RatioInterval of(List<Double> before, List<Double> after) {
        int n = before.size();
        int m = after.size();
        double[] ratios = new double[n * m];
        for (int i = 0; i < n * m; i++) {
            ratios[i] = after.get(i % m) / before.get(i / m);
        }
        Arrays.sort(ratios);
        double middle = (ratios[(n * m - 1) / 2] + ratios[n * m / 2]) / 2;
        int outside = 0;
        double confidence = CONFIDENCE;
        if (n > EXACT || m > EXACT) {
            double deviation = Math.sqrt((double) n * m * (n + m + 1) / 12);
            outside = (int) Math.max(0, n * m / 2.0 - 0.5 - NORMAL * deviation);
        } else {
            double[] orders = orders(n, m);
            double all = Arrays.stream(orders).sum();
            double tail = orders[0] / all;
            confidence = 1 - 2 * tail;
            while (outside + 1 < n * m / 2
                    && 2 * (tail + orders[outside + 1] / all) <= 1 - CONFIDENCE) {
                tail += orders[++outside] / all;
                confidence = 1 - 2 * tail;
            }
        }
        return new RatioInterval(
                middle, ratios[outside], ratios[n * m - 1 - outside], Math.max(0, confidence));
    }

    /**
     * Returns the number of orders of two samples in which u values of one exceed values of the
     * other, for each u: the coefficients of a Gaussian binomial.
     */
    private static double[] orders(int n, int m) {
        double[] orders = new double[n * m + 1];
        orders[0] = 1;
        for (int i = 1; i <= n; i++) {
            for (int u = n * m; u >= m + i; u--) {
                orders[u] -= orders[u - m - i];
            }
            for (int u = i; u <= n * m; u++) {
                orders[u] += orders[u - i];
            }
        }
        return orders;
    }

    /** Returns whether there are enough values for the confidence. */
    boolean isConfident() {
        return confidence >= CONFIDENCE;
    }

    /** Returns whether the interval shows a difference. */
    boolean showsDifference() {
        return isConfident() && (low > 1 || high < 1);
    }
}
