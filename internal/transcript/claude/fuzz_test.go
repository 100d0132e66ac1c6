// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fiftyarms/platform/internal/transcript/transcripttest"
)

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/sessions/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	var seeds [][]byte
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, in := range archive.Files {
			if in.Name == "session.jsonl" {
				seeds = append(seeds, in.Data)
			}
		}
	}
	transcripttest.FuzzRead(f, Format{}, "session.jsonl", seeds...)
}
