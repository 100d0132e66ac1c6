// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package blobs

import (
	"errors"
	"os"
)

func fromPath(path string) string { return path }

func toPath(dir string) string { return dir }

// syncDir makes what was renamed into a folder last: until then a crash may undo it.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
