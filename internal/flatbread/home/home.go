// SPDX-License-Identifier: Apache-2.0

// Package home tells where flatbread keeps what it writes.
package home

import (
	"fmt"
	"path/filepath"
)

// LastParse is the newest trace, as it was parsed, in Tmp.
const LastParse = "last-parse.json"

// Dir is flatbread's folder: FLATBREAD_HOME, else ~/.flatbread.
func Dir(getenv func(string) string, userHome func() (string, error)) (string, error) {
	if dir := getenv("FLATBREAD_HOME"); dir != "" {
		return dir, nil
	}
	home, err := userHome()
	if err != nil {
		return "", fmt.Errorf("find the home folder (set FLATBREAD_HOME to do without): %w", err)
	}
	return filepath.Join(home, ".flatbread"), nil
}

// Tmp is where the newest results are: FLATBREAD_TMP_DIR, else tmp in Dir.
func Tmp(getenv func(string) string, userHome func() (string, error)) (string, error) {
	if dir := getenv("FLATBREAD_TMP_DIR"); dir != "" {
		return dir, nil
	}
	dir, err := Dir(getenv, userHome)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "tmp"), nil
}
