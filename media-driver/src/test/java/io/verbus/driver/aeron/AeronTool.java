// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import io.aeron.samples.AeronStat;
import io.aeron.samples.BacklogStat;
import io.aeron.samples.DriverTool;
import io.aeron.samples.ErrorStat;
import io.aeron.samples.LossStat;
import io.aeron.samples.StreamStat;

/** Program that runs one of Aeron's tools on a driver directory. */
final class AeronTool {
    private AeronTool() {}

    /**
     * @param args the tool's name, the directory, and what the tool is to do.
     */
    public static void main(String[] args) throws Exception {
        System.setProperty("aeron.dir", args[1]);
        String[] none = {};
        switch (args[0]) {
            case "AeronStat" -> AeronStat.main(new String[] {"watch=false"});
            case "StreamStat" -> StreamStat.main(none);
            case "BacklogStat" -> BacklogStat.main(none);
            case "ErrorStat" -> ErrorStat.main(none);
            case "DriverTool" -> DriverTool.main(new String[] {args[2]});
            case "LossStat" -> LossStat.main(none);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }
}
