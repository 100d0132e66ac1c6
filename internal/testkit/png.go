// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// PNG is an opaque picture of a size in pixels.
func PNG(t testing.TB, width, height int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetGray(x, y, color.Gray{Y: uint8(x + y)})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
