// SPDX-License-Identifier: Apache-2.0

// Package char tells kinds of characters apart: those of ASCII, of which credentials are made.
package char

// Upper tells whether c is a capital.
func Upper(c byte) bool { return 'A' <= c && c <= 'Z' }

// Lower tells whether c is a small letter.
func Lower(c byte) bool { return 'a' <= c && c <= 'z' }

// Digit tells whether c is a decimal digit.
func Digit(c byte) bool { return '0' <= c && c <= '9' }

// Alnum tells whether c is a letter or a decimal digit.
func Alnum(c byte) bool { return Digit(c) || Lower(c|0x20) }

// Hex tells whether c is a hexadecimal digit.
func Hex(c byte) bool { return Digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
