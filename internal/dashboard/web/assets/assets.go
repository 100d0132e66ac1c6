// SPDX-License-Identifier: Apache-2.0

// Package assets serves the files that pages link to. A file's address carries the hash of its bytes, so a browser may
// keep it for ever and a new build is a new address.
package assets

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"time"
)

// Prefix is where every file stands.
const Prefix = "/assets/"

// types names what the files are. It is our own table because the system's differs from machine to machine.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// File is one file as it is served.
type File struct {
	Path string // below Prefix, as pages link to it
	body []byte
}

// New names body by its hash: "base.css" stands at /assets/base.<hash>.css.
func New(name string, body []byte) File {
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	return File{Path: Prefix + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext, body: body}
}

// Handler answers for the files, and hands every other path to missing.
func Handler(missing http.Handler, files ...File) http.Handler {
	byPath := make(map[string]File, len(files))
	for _, f := range files {
		byPath[f.Path] = f
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := byPath[r.URL.Path]
		if !ok {
			missing.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", types[path.Ext(f.Path)])
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
	})
}
