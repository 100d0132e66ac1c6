// SPDX-License-Identifier: Apache-2.0

// Package blobs keeps the bytes of attachments and images: each blob under a key, written once and whole. Who has
// which blob, and what it is called, is the database's to know; a blob that no row names is waste and nothing worse.
//
// A place is a URL. Here that is file:///a/folder: one file a blob, in a folder for each team. A file is written beside
// its place, synced, and only then renamed there, so a crash leaves a blob whole or not at all. What a killed process
// was writing stays behind as a *.tmp file, which nothing reads; Open takes those away that are a day old.
package blobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"
)

// ErrNotFound says that there is no blob under a key.
var ErrNotFound = errors.New("no such blob")

// Store keeps blobs in one place. It is safe for concurrent use, also by many processes on one place.
type Store struct {
	bucket *blob.Bucket
	dir    string // the folder of a file URL
}

// Open opens a place, which is made if it is missing: a file URL with an absolute path, such as FileURL gives. Its
// folders are for the owner alone.
func Open(_ context.Context, place string) (*Store, error) {
	u, err := url.Parse(place)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || u.Path == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is no place for attachments: want a folder as file:///a/folder", place)
	}
	dir := fromPath(u.Path)
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("%q is no place for attachments: its path is not absolute", place)
	}
	bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{
		CreateDir: true, DirFileMode: 0o700, NoTempDir: true, Metadata: fileblob.MetadataDontWrite,
	})
	if err != nil {
		return nil, fmt.Errorf("attachments: %w", err)
	}
	if err := sweep(dir); err != nil {
		return nil, errors.Join(fmt.Errorf("attachments: %w", err), bucket.Close())
	}
	return &Store{bucket: bucket, dir: dir}, nil
}

// abandoned is how old a part is that no process writes to any more: one that stands still is ended in much less.
const abandoned = 24 * time.Hour

// sweep deletes what killed processes left behind.
func sweep(dir string) error {
	parts, err := fs.Glob(os.DirFS(dir), "*/*.tmp")
	if err != nil {
		return err
	}
	for _, part := range parts {
		path := filepath.Join(dir, filepath.FromSlash(part))
		info, err := os.Lstat(path)
		if err != nil || time.Since(info.ModTime()) < abandoned {
			continue // it may just have become a blob
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// FileURL is the URL of a folder, whose path is absolute.
func FileURL(dir string) string { return (&url.URL{Scheme: "file", Path: toPath(dir)}).String() }

// Close ends the store. Blobs that are open can be read on.
func (s *Store) Close() error { return s.bucket.Close() }

// keys has two parts: whose blob it is, and which. A thumbnail stands beside the blob that it was made of.
var keys = regexp.MustCompile(`^[0-9a-f]{32}/[0-9a-f]{32}(\.thumb)?$`)

func check(key string) error {
	if !keys.MatchString(key) {
		return fmt.Errorf("%q is no key of a blob", key)
	}
	return nil
}

// Put keeps what r holds, to its end, under a key that has no blob yet, and tells how many bytes that were and their
// SHA-256 in hexadecimal. It holds little of it in memory at a time. On an error, r's included, and when ctx ends before
// everything is kept, there is no blob.
func (s *Store) Put(ctx context.Context, key string, r io.Reader) (bytes int64, sum string, err error) {
	if err := check(key); err != nil {
		return 0, "", err
	}
	during := func(err error) error { return fmt.Errorf("keep a blob: %w", err) }
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var file *os.File // what is written, under its temporary name
	w, err := s.bucket.NewWriter(ctx, key, &blob.WriterOptions{
		ContentType: "application/octet-stream", IfNotExist: true,
		BeforeWrite: func(as func(any) bool) error {
			if !as(&file) {
				return errors.New("the place gives no file to sync")
			}
			return file.Chmod(0o600)
		},
	})
	if err != nil {
		return 0, "", during(err)
	}
	hash := sha256.New()
	bytes, err = copyTo(ctx, io.MultiWriter(hash, w), r)
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		cancel() // makes Close drop what was written
		_ = w.Close()
		return 0, "", during(err)
	}
	if err := w.Close(); err != nil {
		return 0, "", during(err)
	}
	if err := s.syncFolders(key); err != nil {
		return 0, "", during(errors.Join(err, s.Delete(context.WithoutCancel(ctx), key)))
	}
	return bytes, hex.EncodeToString(hash.Sum(nil)), nil
}

// copyTo copies until r ends or ctx does, through one small buffer.
func copyTo(ctx context.Context, w io.Writer, r io.Reader) (n int64, err error) {
	buf := make([]byte, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return n, context.Cause(ctx)
		}
		read, bad := r.Read(buf)
		if read > 0 {
			if _, err := w.Write(buf[:read]); err != nil {
				return n, err
			}
			n += int64(read)
		}
		if bad == io.EOF { // an end that is wrapped is an error
			return n, nil
		}
		if bad != nil {
			return n, bad
		}
	}
}

// syncFolders makes a rename last, and the making of the folder before it.
func (s *Store) syncFolders(key string) error {
	for _, dir := range []string{filepath.Join(s.dir, filepath.Dir(filepath.FromSlash(key))), s.dir} {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// Open opens a blob for reading and tells its size in bytes. ErrNotFound where there is none.
func (s *Store) Open(ctx context.Context, key string) (r io.ReadCloser, size int64, err error) {
	if err := check(key); err != nil {
		return nil, 0, err
	}
	b, err := s.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return nil, 0, failed("read", err)
	}
	return b, b.Size(), nil
}

// Delete ends a blob. ErrNotFound where there is none.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := check(key); err != nil {
		return err
	}
	if err := s.bucket.Delete(ctx, key); err != nil {
		return failed("delete", err)
	}
	return nil
}

func failed(what string, err error) error {
	if gcerrors.Code(err) == gcerrors.NotFound {
		return ErrNotFound
	}
	return fmt.Errorf("%s a blob: %w", what, err)
}
