// SPDX-License-Identifier: Apache-2.0

// Package thumbnail makes small pictures of images that strangers sent.
//
// A small file can hold an image that fills the memory when it is decoded, or that takes for ever. So the header is read
// first, within a bound, and decides by the number of pixels, not of bytes; one image is decoded at a time in a
// process, whoever asks; and the bytes stop coming when the caller's context ends, which no decoder survives. PNG, JPEG,
// GIF (its first frame) and WebP are known. What turns a photo upright is in exif.go.
package thumbnail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"time"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// The bounds of an image and of what is made of it.
const (
	Width, Height = 480, 360 // the most pixels of a thumbnail
	PixelsMost    = 24_000_000
	sideMost      = 32_768    // pixels
	headerMost    = 1 << 20   // bytes up to where an image says how large it is
	bytesMost     = 200 << 20 // more than that many pixels take, as they are
	quality       = 82        // of JPEG
	decodeMost    = 3 * time.Second
)

// errSlow says of an image that decoding it takes too long: a few bytes can ask for the same work over and over.
var errSlow = fmt.Errorf("%w: it takes longer than %s to decode", ErrNone, decodeMost)

// ErrNone says of a file that it has no thumbnail: it is no image of a known kind, is too large, or is broken.
var ErrNone = errors.New("no thumbnail can be made of it")

// A format is a kind of image.
type format struct {
	contentType string
	config      func(io.Reader) (image.Config, error)
	decode      func(io.Reader) (image.Image, error)
}

var formats = []format{
	{"image/png", png.DecodeConfig, png.Decode},
	{"image/jpeg", jpeg.DecodeConfig, jpeg.Decode},
	{"image/gif", gif.DecodeConfig, gif.Decode},
	{"image/webp", webp.DecodeConfig, webp.Decode},
}

func formatOf(contentType string) (format, bool) {
	for _, f := range formats {
		if f.contentType == contentType {
			return f, true
		}
	}
	return format{}, false
}

// Known says whether files of a content type may have thumbnails.
func Known(contentType string) bool {
	_, known := formatOf(contentType)
	return known
}

// decoding is held by whoever decodes: the pixels of one image may take 400 MB.
var decoding = make(chan struct{}, 1)

// Make makes the thumbnail of an image of a content type, at most Width by Height, as PNG where it is transparent
// anywhere and as JPEG else. An image that is smaller than that keeps its size. ErrNone where there can be none; other
// errors are r's, and the context's, which bounds the waiting and the work; the work alone takes 8 seconds at most.
func Make(ctx context.Context, contentType string, r io.Reader) ([]byte, error) {
	f, known := formatOf(contentType)
	if !known {
		return nil, fmt.Errorf("%w: it is %s", ErrNone, contentType)
	}
	in := &source{ctx: ctx, r: io.LimitReader(r, bytesMost)}
	var head bytes.Buffer
	size, err := f.config(io.TeeReader(io.LimitReader(in, headerMost), &head))
	if err := in.judge(err); err != nil {
		return nil, err
	}
	if err := fits(size); err != nil {
		return nil, err
	}
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var end context.CancelFunc
	in.ctx, end = context.WithTimeoutCause(ctx, decodeMost, errSlow)
	defer end()
	turned := upright
	if contentType == "image/jpeg" {
		turned = orientationOf(head.Bytes())
	}
	whole, err := safely(f.decode, io.MultiReader(&head, in))
	if err := in.judge(err); err != nil {
		return nil, err
	}
	return encode(turned.apply(shrink(whole, turned)))
}

// fits refuses an image whose pixels would take too much.
func fits(size image.Config) error {
	w, h := size.Width, size.Height
	if w < 1 || h < 1 || w > sideMost || h > sideMost || w*h > PixelsMost {
		return fmt.Errorf("%w: it is %d by %d pixels", ErrNone, w, h)
	}
	return nil
}

// safely decodes. What makes a decoder panic is a broken image.
func safely(decode func(io.Reader) (image.Image, error), r io.Reader) (_ image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder panics: %v", p)
		}
	}()
	return decode(r)
}

// A source is the bytes of an image, until ctx ends.
type source struct {
	ctx context.Context
	r   io.Reader
	err error // what kept the bytes from coming
}

func (s *source) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		s.err = context.Cause(s.ctx)
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// judge says whether the bytes or the image is to blame for a decoder's error.
func (s *source) judge(err error) error {
	switch {
	case s.err != nil:
		return s.err
	case err != nil:
		return fmt.Errorf("%w: %w", ErrNone, err)
	}
	return nil
}

// shrink draws an image as small as it has to be, to be turned after that.
func shrink(src image.Image, turned orientation) *image.RGBA {
	width, height := Width, Height
	if turned.onItsSide() {
		width, height = height, width
	}
	from := src.Bounds()
	w, h := from.Dx(), from.Dy()
	if w > width {
		w, h = width, max(1, h*width/w)
	}
	if h > height {
		w, h = max(1, w*height/h), height
	}
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.BiLinear.Scale(dst, dst.Bounds(), src, from, draw.Src, nil)
	return dst
}

func encode(small *image.RGBA) ([]byte, error) {
	var out bytes.Buffer
	var err error
	if small.Opaque() {
		err = jpeg.Encode(&out, small, &jpeg.Options{Quality: quality})
	} else {
		err = png.Encode(&out, small)
	}
	if err != nil {
		return nil, fmt.Errorf("encode a thumbnail: %w", err)
	}
	return out.Bytes(), nil
}
