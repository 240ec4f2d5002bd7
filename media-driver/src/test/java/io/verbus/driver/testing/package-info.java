// SPDX-License-Identifier: Apache-2.0

/** A JUnit extension for tests of applications, see docs/guide/testing.md. */
package io.verbus.driver.testing;
