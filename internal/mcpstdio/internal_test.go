// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"context"
	"errors"
	"io"
	"testing"
)

// The reader may be about to admit a call when Serve ends.
func TestNoCallIsAdmittedAfterTheEnd(t *testing.T) {
	f := newInflight(Options{}.withDefaults())
	one := &call{message: message{id: requestID{key: "n1"}}}
	if run, bad := f.admit(one, false); !run || bad != nil {
		t.Fatalf("admit = %v, %v", run, bad)
	}
	idle := f.close()
	if _, bad := f.admit(&call{message: message{id: requestID{key: "n2"}}}, true); bad == nil || bad.code != codeBusy {
		t.Errorf("refusal = %v", bad)
	}
	if f.settle(one); f.release() != nil {
		t.Error("a call came out of nowhere")
	}
	<-idle
	if f.close() != idle { // and it may be closed again
		t.Error("two ends")
	}
}

// A queue that is full and not written holds no one beyond its context.
func TestSendWithFullQueue(t *testing.T) {
	o := newOutbox(io.Discard, Options{}.withDefaults())
	for range cap(o.queue) + 1 { // the last one finds no room
		o.offer(nil)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := o.send(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("send: %v", err)
	}
	o.end(ErrClosed)
	if err := o.send(context.Background(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("send: %v", err)
	}
	o.room() // does not wait
}
