// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.cluster;

import io.verbus.codecs.marketdata.MessageHeaderDecoder;
import io.verbus.codecs.marketdata.MessageHeaderEncoder;
import io.verbus.codecs.marketdata.NewOrderDecoder;
import io.verbus.codecs.marketdata.NewOrderEncoder;
import io.verbus.codecs.marketdata.Side;
import io.verbus.codecs.marketdata.TimeInForce;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.HashMap;
import java.util.Map;

/** Sends orders to an engine, numbered for their accounts. */
final class Orders {
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
    private final Map<String, Long> nextIds = new HashMap<>();
    private final MatchingEngine engine;

    Orders(MatchingEngine engine) {
        this.engine = engine;
    }

    /** Sends the next order of an account; returns what was filled at once. */
    long send(String account, Side side, long price, long size, TimeInForce timeInForce) {
        long id = nextIds.merge(account, 0L, (last, none) -> last + 1);
        take(account, id, side, price, size, timeInForce);
        return engine.filled();
    }

    long take(String account, long id, Side side, long price, long size, TimeInForce timeInForce) {
        NewOrderEncoder order = new NewOrderEncoder();
        order.wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder())
                .symbol("ALPHA   ")
                .clientOrderId(id)
                .size(size)
                .side(side)
                .timeInForce(timeInForce)
                .price()
                .mantissa(price);
        order.account(account);
        NewOrderDecoder decoder = new NewOrderDecoder();
        decoder.wrapAndApplyHeader(buffer, 0, new MessageHeaderDecoder());
        return engine.take(decoder);
    }
}
