// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeronmd;

import io.verbus.driver.background.HostNames;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The names that Aeron's system tests give an external driver, each with two hosts; the system
 * knows the others. A counter for each name says which it leads to, and clients of the test set it.
 *
 * <pre>
 *   AERON_NAME_RESOLVER_SUPPLIER=csv_table
 *   AERON_NAME_RESOLVER_INIT_ARGS=name,host if 0,host if 1|…
 * </pre>
 */
public final class NameTable implements HostNames {
    static final int COUNTER_TYPE = 2001;
    static final int LEADS_NOWHERE = -1;
    private static final String ROWS = "AERON_NAME_RESOLVER_INIT_ARGS";

    /** A name and where it leads. */
    private record Row(String name, String first, String second, AtomicCounter choice) {}

    private final String text;
    private final Map<String, Row> rows = new HashMap<>();

    /** Reads the environment: called by {@link java.util.ServiceLoader}. */
    public NameTable() {
        this(System.getenv());
    }

    NameTable(Map<String, String> environment) {
        boolean isAsked = "csv_table".equals(environment.get("AERON_NAME_RESOLVER_SUPPLIER"));
        text = isAsked ? environment.getOrDefault(ROWS, "") : "";
    }

    @Override
    public void open(CountersManager counters) {
        for (String row : text.isEmpty() ? new String[0] : text.split("\\|")) {
            String[] columns = row.split(",");
            if (columns.length != 3) {
                throw new IllegalArgumentException(
                        ROWS + " has '" + row + "': it must be name,first,second");
            }
            rows.put(
                    columns[0],
                    new Row(columns[0], columns[1], columns[2], counter(counters, row)));
        }
    }

    private static AtomicCounter counter(CountersManager counters, String row) {
        String name = row.substring(0, row.indexOf(','));
        UnsafeBuffer key = new UnsafeBuffer(new byte[Integer.BYTES + name.length()]);
        key.putStringAscii(0, name);
        UnsafeBuffer label = new UnsafeBuffer(row.getBytes(StandardCharsets.US_ASCII));
        return counters.newCounter(
                COUNTER_TYPE, key, 0, key.capacity(), label, 0, label.capacity());
    }

    @Override
    public InetAddress address(String name) throws UnknownHostException {
        Row row = rows.get(name);
        if (row == null) {
            return InetAddress.getByName(name);
        }
        long choice = row.choice.get();
        if (choice == LEADS_NOWHERE) {
            throw new UnknownHostException(name);
        }
        return InetAddress.getByName(choice == 0 ? row.first : row.second);
    }
}
