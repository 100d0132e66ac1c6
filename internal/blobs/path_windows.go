// SPDX-License-Identifier: Apache-2.0

package blobs

import (
	"path/filepath"
	"strings"
)

// A file URL's path has a slash before the drive.
func fromPath(path string) string { return filepath.FromSlash(strings.TrimPrefix(path, "/")) }

func toPath(dir string) string { return "/" + filepath.ToSlash(dir) }

// syncDir does nothing: Windows syncs no folders.
func syncDir(string) error { return nil }
