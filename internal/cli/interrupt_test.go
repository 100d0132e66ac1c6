// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
)

func TestUntil(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	if n, err := Until(ctx, &out).Write([]byte("abc")); n != 3 || err != nil || out.String() != "abc" {
		t.Errorf("%d, %v, %q", n, err, out.String())
	}
	reader, writer := io.Pipe() // that nobody reads
	defer reader.Close()
	ended := make(chan error)
	go func() {
		_, err := Until(ctx, writer).Write([]byte("abc"))
		ended <- err
	}()
	if _, err := reader.Read(make([]byte, 1)); err != nil { // it has begun
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Until(ctx, &out).Write([]byte("d")); !errors.Is(err, context.Canceled) || out.String() != "abc" {
		t.Errorf("%v, %q", err, out.String())
	}
}
