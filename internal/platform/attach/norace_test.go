// SPDX-License-Identifier: Apache-2.0

//go:build !race

package attach_test

const raceEnabled = false
