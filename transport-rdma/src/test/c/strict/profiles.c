// SPDX-License-Identifier: Apache-2.0
//
// Kinds of adapters. The environment variable STRICT_DEVICE names one; "ib" if it is absent.

#include "strict.h"

#include <stdio.h>

#define GIB (1u << 30)

// Vendor ids are those of the PCI SIG: an id that Verbus took for a kernel's software device would change
// how it posts.
static const struct profile profiles[] = {
    {.name = "ib", .link_layer = IBV_LINK_LAYER_INFINIBAND, .vendor_id = 0x02c9, .max_inline = 512,
     .max_message = GIB, .max_qp_wr = 8192, .max_cqe = 65535, .max_mr = 1 << 20, .in_order = true,
     .atomics = true},
    // rdma-core, providers/mlx5/wqe.h: a byte count of 0 stands for 2 GiB.
    {.name = "mlx5", .link_layer = IBV_LINK_LAYER_ETHERNET, .vendor_id = 0x02c9, .max_inline = 828,
     .max_message = GIB, .max_qp_wr = 8192, .max_cqe = 65535, .max_mr = 1 << 20, .zero_is_2gib = true,
     .in_order = true, .atomics = true},
    // Adaptive routing: the firmware places writes as they come.
    {.name = "mlx5-ooo", .link_layer = IBV_LINK_LAYER_ETHERNET, .vendor_id = 0x02c9, .max_inline = 828,
     .max_message = GIB, .max_qp_wr = 8192, .max_cqe = 65535, .max_mr = 1 << 20, .zero_is_2gib = true,
     .overtakes = true, .atomics = true},
    // rdma-core, providers/irdma/uk.c, irdma_uk_rdma_write.
    {.name = "irdma", .link_layer = IBV_LINK_LAYER_ETHERNET, .vendor_id = 0x8086, .max_inline = 101,
     .max_message = 2 * GIB - 1, .max_qp_wr = 4096, .max_cqe = 65535, .max_mr = 1 << 20,
     .first_piece_always = true},
    // RFC 5040: a write completes when the stream has it; a message without a receive ends the stream.
    {.name = "iwarp", .transport = IBV_TRANSPORT_IWARP, .link_layer = IBV_LINK_LAYER_ETHERNET,
     .vendor_id = 0x1425, .max_inline = 64, .max_message = GIB, .max_qp_wr = 4096, .max_cqe = 65535,
     .max_mr = 1 << 20, .completes_early = true},
    {.name = "bnxt", .link_layer = IBV_LINK_LAYER_ETHERNET, .vendor_id = 0x14e4, .max_inline = 96,
     .max_message = GIB, .max_qp_wr = 4096, .max_cqe = 65535, .max_mr = 1 << 18,
     .no_rkey_unless_remote = true, .atomics = true},
    // rdma-core, providers/mana/mana.c: no query_qp among its operations.
    {.name = "mana", .link_layer = IBV_LINK_LAYER_ETHERNET, .vendor_id = 0x1414, .max_inline = 0,
     .max_message = GIB, .max_qp_wr = 2048, .max_cqe = 32768, .max_mr = 1 << 16, .no_query_qp = true},
    // Fifty connections of a driver need 250 regions, and on a busy machine many are repeated.
    {.name = "small", .link_layer = IBV_LINK_LAYER_ETHERNET, .vendor_id = 0x1077, .max_inline = 48,
     .max_message = 1 << 20, .max_qp_wr = 256, .max_cqe = 256, .max_mr = 512},
};

const struct profile *profile;

void choose_profile(const char *name) {
    profile = NULL;
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        if (!strcmp(profiles[i].name, name && *name ? name : "ib"))
            profile = &profiles[i];
    if (!profile) {
        fprintf(stderr, "strict device: there is no profile '%s'\n", name);
        exit(2);
    }
    for (int i = 0; i < MAX_DEVICES; i++) {
        devices[i].base.transport_type = profile->transport;
        devices[i].base.node_type = is_iwarp() ? IBV_NODE_RNIC : IBV_NODE_CA;
    }
}

bool is_iwarp(void) {
    return profile->transport == IBV_TRANSPORT_IWARP;
}

// For tests, while there is no connection; null for that of the environment.
EXPORT void strict_profile(const char *name) {
    start();
    pthread_mutex_lock(&lock);
    choose_profile(name ? name : getenv("STRICT_DEVICE"));
    pthread_mutex_unlock(&lock);
}

EXPORT const char *strict_profile_name(void) {
    start();
    return profile->name;
}
