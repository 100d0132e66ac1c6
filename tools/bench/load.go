// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A wire is a connection that carries one call after another. What makes the load shares the processors with what bears
// it, so it does by hand the little that it needs of HTTP.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(url string) (*wire, error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return nil, err
	}
	return &wire{conn, bufio.NewReader(conn)}, nil
}

// call makes a call that has to be answered 200 with a body of a known length.
func (w *wire) call(request []byte) error {
	if _, err := w.conn.Write(request); err != nil {
		return err
	}
	status, err := w.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	ok := bytes.HasPrefix(status, []byte("HTTP/1.1 200 "))
	said := ""
	if !ok {
		said = string(bytes.TrimSpace(status))
	}
	length := -1
	for {
		line, err := w.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
	if !ok || length < 0 {
		body, _ := w.in.Peek(max(0, min(length, 300)))
		return fmt.Errorf("answered %q with %d bytes: %s", said, length, body)
	}
	_, err = w.in.Discard(length)
	return err
}

// A job makes the calls of one connection: request writes the next one into buf, and done is told once it was answered.
type job interface {
	request(buf []byte) []byte
	done()
}

// pressed is what came of calls.
type pressed struct {
	perSecond float64
	p99       time.Duration
	calls     int
}

const (
	warmUp   = time.Second
	measured = 5 * time.Second
	patience = 30 * time.Second // with a dashboard that answers no more, or that has events to deliver
)

// press makes calls on a connection for each job, one after the other and begun no closer than apart, and measures those
// after a while of warming up.
func press(url string, jobs []job, apart time.Duration) (pressed, error) {
	took := make([][]time.Duration, len(jobs))
	errs := make([]error, len(jobs))
	var running sync.WaitGroup
	begin := time.Now()
	for i, j := range jobs {
		took[i] = make([]time.Duration, 0, 1<<16)
		running.Go(func() {
			w, err := dial(url)
			if err != nil {
				errs[i] = err
				return
			}
			defer w.conn.Close()
			errs[i] = w.conn.SetDeadline(begin.Add(warmUp + measured + patience))
			var buf []byte
			for at := time.Since(begin); at < warmUp+measured; {
				buf = j.request(buf[:0])
				if errs[i] = w.call(buf); errs[i] != nil {
					return
				}
				j.done()
				now := time.Since(begin)
				if at >= warmUp {
					took[i] = append(took[i], now-at)
				}
				if at += apart; at > now {
					time.Sleep(at - now)
				} else {
					at = now
				}
			}
		})
	}
	running.Wait()
	all := slices.Concat(took...)
	if err := errors.Join(errs...); err != nil || len(all) == 0 {
		return pressed{}, errors.Join(errors.New("the load broke off"), err)
	}
	slices.Sort(all)
	return pressed{float64(len(all)) / measured.Seconds(), all[len(all)*99/100], len(all)}, nil
}
