// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"io"
)

// Until writes to a reader that may have stopped reading, a pager say, for as long as ctx lasts. When that ends a write
// that waits is given up, though it goes on behind it: whoever writes has to end as well, and not touch what it wrote.
func Until(ctx context.Context, to io.Writer) io.Writer { return &untilDone{ctx, to} }

type untilDone struct {
	ctx context.Context
	to  io.Writer
}

func (u *untilDone) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := u.to.Write(p)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-u.ctx.Done():
		return 0, u.ctx.Err()
	}
}
