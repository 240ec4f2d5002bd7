// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import io.verbus.StrictDevice;

import java.util.Random;

/** Causes random faults of the strict device. */
final class Faults {
    private static final int ENOMEM = 12;
    private static final int EIO = 5;
    private static final int[] ERRORS = {EIO, ENOMEM, 11, 19, 22, 110};
    private static final int MOST_MILLIS = 30;

    /** Calls that may fail. */
    private static final String[] FALLIBLE = {
        "ibv_alloc_pd",
        "ibv_create_cq",
        "ibv_modify_qp",
        "ibv_post_recv",
        "ibv_post_send",
        "ibv_query_device",
        "ibv_query_port",
        "ibv_query_qp",
        "ibv_reg_mr",
        "rdma_accept",
        "rdma_bind_addr",
        "rdma_connect",
        "rdma_create_id",
        "rdma_create_qp",
        "rdma_disconnect",
        "rdma_get_cm_event",
        "rdma_listen",
        "rdma_notify",
        "rdma_reject",
        "rdma_resolve_addr",
        "rdma_resolve_route",
        "rdma_set_option",
        "resolve-address"
    };

    /** Calls that may take long, and that fail only on a broken device. */
    private static final String[] SLOW = {
        "ibv_dealloc_pd", "ibv_dereg_mr", "ibv_destroy_cq", "rdma_destroy_id", "rdma_destroy_qp"
    };

    private final Random random;

    Faults(Random random) {
        this.random = random;
    }

    /** Fails, cuts or hangs up a connection of a device, or plans faults of calls. */
    void next(int device) {
        int which = random.nextInt(4);
        switch (random.nextInt(6)) {
            case 0 -> StrictDevice.fail(device, which);
            case 1 -> StrictDevice.cut(device, which);
            case 2 -> StrictDevice.hangUp(device, which);
            default -> StrictDevice.plan(plan());
        }
    }

    /** Ends all plans. */
    static void end() {
        StrictDevice.plan("");
    }

    private String plan() {
        StringBuilder plan = new StringBuilder();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            plan.append(plan.isEmpty() ? "" : ",").append(entry());
        }
        return plan.toString();
    }

    private String entry() {
        int call = 1 + random.nextInt(random.nextBoolean() ? 3 : 60);
        String delay = call + ":~" + (1 + random.nextInt(MOST_MILLIS));
        return switch (random.nextInt(8)) {
            case 0 -> "completion:" + call + ":drop";
            case 1 -> "completion:" + delay;
            case 2 -> "ready:" + (1 + random.nextInt(2)) + ":drop";
            case 3 -> SLOW[random.nextInt(SLOW.length)] + ":" + delay;
            case 4 -> FALLIBLE[random.nextInt(FALLIBLE.length - 1)] + ":" + delay;
            default ->
                    FALLIBLE[random.nextInt(FALLIBLE.length)]
                            + ":"
                            + (1 + random.nextInt(4))
                            + ":"
                            + ERRORS[random.nextInt(ERRORS.length)];
        };
    }
}
