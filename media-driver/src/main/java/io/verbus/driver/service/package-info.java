// SPDX-License-Identifier: Apache-2.0

/** What a driver process tells the service manager that started it. */
package io.verbus.driver.service;
