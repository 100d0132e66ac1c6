// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/fiftyarms/platform/internal/jsonl"
)

// ErrUntyped says of a record that it is an object without a type.
var ErrUntyped = errors.New("no string `type`")

// A Log is what a reader makes of a file of one record a line.
type Log struct {
	// Scan reads a record. An error says that it is none.
	Scan func(line []byte) error
	// Record takes in the record that was scanned last, which begins at an offset of a source.
	Record func(source int32, offset int64)
	// IsRecord tells a record from an object inside one; see jsonl.Recover.
	IsRecord func(object []byte, edge bool) bool
	// Progress, which may be nil, is told how much of the file is read.
	Progress func(bytes int64)
}

// ReadLog reads a log at path, damage included: what damaged lines still hold comes as records too.
func (b *Builder) ReadLog(ctx context.Context, path string, log Log) (err error) {
	f, source, done, err := b.Opened(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	return b.ReadLines(ctx, path, f, source, log)
}

// ReadLines is ReadLog of a file that is open as a source.
func (b *Builder) ReadLines(ctx context.Context, path string, f io.Reader, source int32, log Log) error {
	lines := b.lines // a session may have thousands of small files
	if b.lines = nil; lines == nil {
		lines = jsonl.NewLines(f)
	} else {
		lines.Reset(f)
	}
	defer func() {
		lines.Reset(nil)
		b.lines = lines
	}()
	size := sizeOf(f)
	steps, calls := len(b.s.Steps), len(b.s.Calls)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		}
		if line.Number%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if size > 0 && line.Offset > 0 {
				b.expect(steps, calls, min(float64(line.Offset)/float64(size), 1))
			}
			if log.Progress != nil {
				log.Progress(line.Offset)
			}
		}
		b.line(path, source, line, log)
	}
}

// sizeOf is how long a file is, 0 if nobody knows.
func sizeOf(f io.Reader) int64 {
	if file, ok := f.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := file.Stat(); err == nil {
			return info.Size()
		}
	}
	return 0
}

func (b *Builder) line(path string, source int32, line jsonl.Line, log Log) {
	damaged := func(reason string, recovered int) {
		b.Damaged(Damage{File: path, Line: line.Number, Offset: line.Offset, Reason: reason, Recovered: recovered})
	}
	if line.TooLong {
		damaged(fmt.Sprintf("longer than %d MiB", jsonl.MaxLine>>20), 0)
		return
	}
	if len(bytes.TrimSpace(line.Data)) == 0 {
		b.s.Skipped.Blank++
		return
	}
	err := log.Scan(line.Data)
	switch {
	case err == nil:
		log.Record(source, line.Offset)
		return
	case errors.Is(err, ErrUntyped):
		damaged(err.Error(), 0)
		return
	}
	pieces := jsonl.Recover(line.Data, log.IsRecord)
	damaged(err.Error(), len(pieces))
	for _, p := range pieces {
		data, from, offset := p.Joined, source, line.Offset+int64(p.From)
		if data == nil {
			data = line.Data[p.From:p.To]
		} else {
			at := b.stitched(source, line.Offset, p.Parts)
			from, offset = at.Source, at.Off
		}
		if log.Scan(data) == nil {
			log.Record(from, offset)
		}
	}
}
