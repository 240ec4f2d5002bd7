// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.driver.tools.StatSample.Counted;
import io.verbus.driver.tools.StatSample.Streamed;

import java.util.Comparator;

/** Sort key of {@code verbus stat}: values, rates and lags descend; ids and names ascend. */
enum StatOrder {
    ID(
            Comparator.comparingInt(Counted::id),
            Comparator.comparingInt((Streamed each) -> each.status().streamId())
                    .thenComparingInt(each -> each.status().sessionId())),
    NAME(
            Comparator.comparing((Counted each) -> each.metric().name()),
            Comparator.comparing((Streamed each) -> each.status().channel())),
    VALUE(
            Comparator.comparingLong(Counted::value).reversed(),
            Comparator.comparingLong((Streamed each) -> each.status().position()).reversed()),
    RATE(
            Comparator.comparingLong(Counted::rate).reversed(),
            Comparator.comparingLong(Streamed::rate).reversed()),
    BEHIND(
            Comparator.comparingInt(Counted::id),
            Comparator.comparingLong((Streamed each) -> each.status().behind()).reversed());

    private final Comparator<Counted> counters;
    private final Comparator<Streamed> streams;

    StatOrder(Comparator<Counted> counters, Comparator<Streamed> streams) {
        this.counters = counters;
        this.streams = streams;
    }

    Comparator<Counted> counters() {
        return counters.thenComparingInt(Counted::id);
    }

    Comparator<Streamed> streams() {
        return streams.thenComparingLong(each -> each.status().registrationId());
    }
}
