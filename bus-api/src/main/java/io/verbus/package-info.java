// SPDX-License-Identifier: Apache-2.0

/** What an application calls: the bus, its publications and its subscriptions. */
package io.verbus;
