// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.logbuffer.LogLayout;
import io.verbus.perf.load.Work.Idle;
import io.verbus.perf.load.Work.Wire;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks option values that several commands share. */
final class WorkChecks {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int MAX_MTU = 65_504;
    private static final int FRAME_ALIGNMENT = 32;
    private static final long MAX_MESSAGES = 1_000_000_000_000L;

    private WorkChecks() {}

    static void range(CommandSpec spec, String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw new ParameterException(
                    spec.commandLine(),
                    option + " takes a number from " + min + " to " + max + ", not " + value);
        }
    }

    /** Checks the values of {@code --mtu} and {@code --term-length}. */
    static void log(CommandSpec spec, int mtu, int termLength) {
        range(spec, "--mtu", mtu, 64, MAX_MTU);
        if (mtu % FRAME_ALIGNMENT != 0) {
            throw new ParameterException(
                    spec.commandLine(), "--mtu takes a multiple of 32, not " + mtu);
        }
        try {
            LogLayout.checkTermLength(termLength);
        } catch (BusException ex) {
            throw new ParameterException(spec.commandLine(), "--term-length: " + ex.getMessage());
        }
    }

    /** Checks the value of {@code --driver-idle}. */
    static void driverIdle(CommandSpec spec, Idle idle) {
        if (idle == Idle.AGRONA) {
            throw new ParameterException(
                    spec.commandLine(), "--driver-idle agrona is for clients only: choose backoff");
        }
    }

    /** Checks the values of {@code --messages} and {@code --warmup}. */
    static void messages(CommandSpec spec, long messages, long warmup) {
        range(spec, "--messages", messages, 1, MAX_MESSAGES);
        range(spec, "--warmup", warmup, 0, MAX_MESSAGES);
    }

    /** Returns the address of one end: the option's value, or loopback for UDP. */
    static String address(CommandSpec spec, Wire transport, String option, String address) {
        if (transport == Wire.IPC) {
            return "";
        }
        if (!address.isEmpty()) {
            return address;
        }
        if (transport == Wire.UDP) {
            return LOOPBACK;
        }
        throw new ParameterException(
                spec.commandLine(),
                option
                        + " is missing: give the IP address of an RDMA device's interface, as"
                        + " shown by `rdma link` and `ip address`");
    }

    /** Returns the value of an environment variable, or an empty string if it is not set. */
    static String environment(String name) {
        String value = System.getenv(name);
        return value == null ? "" : value;
    }
}
