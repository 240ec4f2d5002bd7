// SPDX-License-Identifier: Apache-2.0

/**
 * Implements {@code verbus demo archive}: Aeron Archive on Verbus drivers. The class path of its
 * client processes contains no Verbus classes except the demo's messages.
 */
package io.verbus.perf.demo.archive;
