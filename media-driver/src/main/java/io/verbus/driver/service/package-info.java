// SPDX-License-Identifier: Apache-2.0

/** Notifications from a driver process to the service manager that started it. */
package io.verbus.driver.service;
