// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/** The counters of a driver, whatever a client has written into their labels and states. */
final class ReadCounters {
    /** Takes one counter; the key is valid during the call. */
    @FunctionalInterface
    interface Taker {
        void take(int id, int typeId, DirectBuffer key, String label);
    }

    private final DirectBuffer metadata;
    private final CountersReader reader;

    ReadCounters(CncFile cnc) {
        metadata = cnc.counterMetadata();
        reader = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
    }

    CountersReader values() {
        return reader;
    }

    /** Takes those in use, by id. A label is cut to its place, and its control characters go. */
    void forEach(Taker taker) {
        UnsafeBuffer key = new UnsafeBuffer();
        for (int id = 0; id <= reader.maxCounterId(); id++) {
            int state = reader.getCounterState(id);
            if (state == CountersReader.RECORD_UNUSED) {
                return;
            }
            if (state == CountersReader.RECORD_ALLOCATED) {
                int at = CountersReader.metaDataOffset(id);
                key.wrap(metadata, at + CountersReader.KEY_OFFSET, CountersReader.MAX_KEY_LENGTH);
                taker.take(id, reader.getCounterTypeId(id), key, label(at));
            }
        }
    }

    private String label(int at) {
        int written = metadata.getInt(at + CountersReader.LABEL_OFFSET);
        int length = Math.clamp(written, 0, CountersReader.MAX_LABEL_LENGTH);
        int text = at + CountersReader.LABEL_OFFSET + Integer.BYTES;
        return metadata.getStringWithoutLengthAscii(text, length).replaceAll("\\p{Cntrl}", "?");
    }
}
