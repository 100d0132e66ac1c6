// SPDX-License-Identifier: Apache-2.0

package thumbnail

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// quarters is an image of w by h whose quarters are red, green, blue and white.
func quarters(w, h int) *image.NRGBA {
	i := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			i.SetNRGBA(x, y, [2][2]color.NRGBA{{{255, 0, 0, 255}, {0, 255, 0, 255}}, {{0, 0, 255, 255}, {255, 255, 255, 255}}}[2*y/h][2*x/w])
		}
	}
	return i
}

func encoded(t testing.TB, as string, i image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch as {
	case "image/png":
		err = png.Encode(&b, i)
	case "image/jpeg":
		err = jpeg.Encode(&b, i, &jpeg.Options{Quality: 95})
	case "image/gif":
		err = gif.Encode(&b, i, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lossless is a WebP of 1 by 1 pixels, which nothing here can write.
const lossless = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

func webpOf(t testing.TB) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(lossless)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func make1(t *testing.T, contentType string, content []byte) (image.Image, string) {
	t.Helper()
	small, err := Make(t.Context(), contentType, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	i, kind, err := image.Decode(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	return i, kind
}

// corners are the colours near the corners of an image, from the top left, line by line.
func corners(i image.Image) (out string) {
	b := i.Bounds()
	for _, y := range []int{b.Min.Y + b.Dy()/5, b.Max.Y - 1 - b.Dy()/5} {
		for _, x := range []int{b.Min.X + b.Dx()/5, b.Max.X - 1 - b.Dx()/5} {
			r, g, bl, _ := i.At(x, y).RGBA()
			switch {
			case r > 0xc000 && g > 0xc000 && bl > 0xc000:
				out += "w"
			case r > 0xc000:
				out += "r"
			case g > 0xc000:
				out += "g"
			case bl > 0xc000:
				out += "b"
			default:
				out += "?"
			}
		}
	}
	return out
}

func TestMake(t *testing.T) {
	for _, tt := range []struct {
		as         string
		w, h       int
		wide, high int
		kind       string
	}{
		{"image/png", 960, 720, 480, 360, "jpeg"},
		{"image/png", 961, 300, 480, 149, "jpeg"},
		{"image/png", 30, 3000, 3, 360, "jpeg"},
		{"image/png", 30_000, 2, 480, 1, "jpeg"},
		{"image/png", 480, 360, 480, 360, "jpeg"},
		{"image/png", 12, 10, 12, 10, "jpeg"},
		{"image/jpeg", 1000, 1000, 360, 360, "jpeg"},
		{"image/gif", 1000, 500, 480, 240, "jpeg"},
	} {
		t.Run(fmt.Sprintf("%s %dx%d", tt.as, tt.w, tt.h), func(t *testing.T) {
			i, kind := make1(t, tt.as, encoded(t, tt.as, quarters(tt.w, tt.h)))
			if b := i.Bounds(); b.Dx() != tt.wide || b.Dy() != tt.high || kind != tt.kind {
				t.Errorf("%d by %d, %s", b.Dx(), b.Dy(), kind)
			}
			if tt.high > 5 && tt.wide > 5 && corners(i) != "rgbw" {
				t.Errorf("the corners are %s", corners(i))
			}
		})
	}
	if i, _ := make1(t, "image/webp", webpOf(t)); i.Bounds().Dx() != 1 {
		t.Errorf("%v", i.Bounds())
	}
}

// What is transparent anywhere stays so.
func TestTransparent(t *testing.T) {
	for name, of := range map[string]image.Image{
		"a hole": func() image.Image {
			i := quarters(900, 900)
			for n := range 450 * 450 {
				i.SetNRGBA(n%450, n/450, color.NRGBA{})
			}
			return i
		}(),
		"palette": func() image.Image {
			i := image.NewPaletted(image.Rect(0, 0, 900, 900), color.Palette{color.Transparent, color.White})
			for n := range 450 * 900 {
				i.SetColorIndex(450+n%450, n/450, 1)
			}
			return i
		}(),
	} {
		i, kind := make1(t, "image/png", encoded(t, "image/png", of))
		if _, _, _, a := i.At(90, 90).RGBA(); kind != "png" || a != 0 {
			t.Errorf("%s: %s, alpha %d", name, kind, a)
		}
		if _, _, _, a := i.At(350, 90).RGBA(); a != 0xffff {
			t.Errorf("%s: where it is not: %d", name, a)
		}
	}
}

// exifed is a JPEG with an orientation, in one byte order or the other.
func exifed(plain []byte, order binary.AppendByteOrder, o uint16) []byte {
	tiff := map[bool]string{true: "II*\x00", false: "MM\x00*"}[order == binary.AppendByteOrder(binary.LittleEndian)]
	segment := order.AppendUint32([]byte("Exif\x00\x00"+tiff), 8)
	segment = order.AppendUint16(segment, 2)
	for _, e := range [][2]uint16{{0x010f, 1}, {0x0112, o}} {
		segment = order.AppendUint32(order.AppendUint16(order.AppendUint16(segment, e[0]), 3), 1)
		segment = order.AppendUint16(order.AppendUint16(segment, e[1]), 0)
	}
	out := append([]byte{0xff, 0xd8, 0xff, 0xe0, 0, 4, 'J', 'F', 0xff, 0xe1}, 0, 0)
	binary.BigEndian.PutUint16(out[len(out)-2:], uint16(len(segment)+2))
	return append(append(out, segment...), plain[2:]...)
}

// A photo is turned as it says.
func TestOrientation(t *testing.T) {
	plain := encoded(t, "image/jpeg", quarters(800, 400))
	want := []string{1: "rgbw", 2: "grwb", 3: "wbgr", 4: "bwrg", 5: "rbgw", 6: "brwg", 7: "wgbr", 8: "gwrb", 9: "rgbw", 0: "rgbw"}
	for o, corner := range want {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			i, _ := make1(t, "image/jpeg", exifed(plain, order, uint16(o)))
			w, h := 480, 240
			if o >= 5 && o <= 8 {
				w, h = 180, 360
			}
			if b := i.Bounds(); corners(i) != corner || b.Dx() != w || b.Dy() != h {
				t.Errorf("%d, %v: %s, %d by %d, want %s", o, order, corners(i), b.Dx(), b.Dy(), corner)
			}
		}
	}
}

// sized is a PNG whose header says how large it is, and that ends there.
func sized(t *testing.T, w, h uint32) []byte {
	b := encoded(t, "image/png", quarters(2, 2))
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

// What is too large, broken or of another kind is none, and costs next to nothing to find out.
func TestNone(t *testing.T) {
	whole := encoded(t, "image/png", quarters(300, 300))
	for name, tt := range map[string]struct {
		as      string
		content []byte
	}{
		"other kind":      {"image/svg+xml", []byte("<svg/>")},
		"text":            {"image/png", []byte("text")},
		"nothing":         {"image/jpeg", nil},
		"another's bytes": {"image/gif", whole},
		"cut":             {"image/png", whole[:len(whole)-20]},
		"too many":        {"image/png", sized(t, 4899, 4899)},
		"a bomb":          {"image/png", sized(t, 1<<31-1, 1<<31-1)},
		"a thread":        {"image/png", sized(t, sideMost+1, 1)},
		"no end of head":  {"image/jpeg", append([]byte{0xff, 0xd8}, bytes.Repeat([]byte{0xff, 0xe5, 0x80, 0x00, 31: 0}, 1<<18)...)},
	} {
		if _, err := Make(t.Context(), tt.as, bytes.NewReader(tt.content)); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if used := testing.AllocsPerRun(10, func() { _, _ = Make(t.Context(), "image/png", bytes.NewReader(sized(t, 1<<31-1, 1<<31-1))) }); used > 10_000 {
		t.Errorf("%v allocations", used)
	}
	if fits(image.Config{Width: 6000, Height: 4000}) != nil || fits(image.Config{Width: 6001, Height: 4000}) == nil {
		t.Error("24 million pixels fit, and no more")
	}
}

// A file that cannot be read is no broken image, and one whose caller has left is read no further.
func TestReading(t *testing.T) {
	whole := encoded(t, "image/png", quarters(300, 300))
	broke := errors.New("the disk broke")
	for _, at := range []int64{0, 40, int64(len(whole)) / 2} {
		if _, err := Make(t.Context(), "image/png", io.MultiReader(io.LimitReader(bytes.NewReader(whole), at), iotest.ErrReader(broke))); !errors.Is(err, broke) {
			t.Errorf("at %d: %v", at, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	rest := bytes.NewReader(whole)
	leaving := readerFunc(func(p []byte) (int, error) {
		if rest.Len() < len(whole)/2 {
			cancel()
		}
		return rest.Read(p[:min(len(p), 16)])
	})
	if _, err := Make(ctx, "image/png", leaving); !errors.Is(err, context.Canceled) {
		t.Errorf("left: %v", err)
	}
}

// An image that takes for ever has none, and frees the way for others.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := encoded(t, "image/png", quarters(300, 300))
		rest := bytes.NewReader(whole)
		slow := readerFunc(func(p []byte) (int, error) {
			if rest.Len() < len(whole)/2 {
				<-time.After(time.Second)
			}
			return rest.Read(p[:min(len(p), 16)])
		})
		if _, err := Make(t.Context(), "image/png", slow); !errors.Is(err, ErrNone) || errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	if len(decoding) != 0 {
		t.Error("the way is not free")
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// One image is decoded at a time; who waits for that waits as long as their context holds.
func TestOneAtATime(t *testing.T) {
	whole := encoded(t, "image/png", quarters(300, 300))
	decoding <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := Make(ctx, "image/png", bytes.NewReader(whole))
	<-decoding
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if _, err := Make(t.Context(), "image/png", bytes.NewReader(whole)); err != nil {
		t.Error(err)
	}
	if len(decoding) != 0 {
		t.Error("it is still held")
	}
}

// A decoder that panics has met a broken image.
func TestPanic(t *testing.T) {
	_, err := safely(func(io.Reader) (image.Image, error) { panic("out of range") }, strings.NewReader(""))
	if err == nil || !strings.Contains(err.Error(), "out of range") {
		t.Error(err)
	}
}

func TestKnown(t *testing.T) {
	for kind, want := range map[string]bool{"image/png": true, "image/webp": true, "image/avif": false, "text/plain; charset=utf-8": false, "": false} {
		if Known(kind) != want {
			t.Errorf("%q: %v", kind, !want)
		}
	}
}

// FuzzMake: whatever the bytes are, there comes a thumbnail within its bounds or an error that says that there is none.
func FuzzMake(f *testing.F) {
	for _, kind := range []string{"image/png", "image/jpeg", "image/gif"} {
		f.Add(kind, encoded(f, kind, quarters(9, 7)))
	}
	f.Add("image/webp", webpOf(f))
	f.Add("image/jpeg", exifed(encoded(f, "image/jpeg", quarters(9, 7)), binary.BigEndian, 6))
	f.Fuzz(func(t *testing.T, kind string, content []byte) {
		if f, known := formatOf(kind); known {
			if c, err := f.config(bytes.NewReader(content)); err == nil && c.Width*c.Height > 1<<20 {
				t.Skip("what is large is for TestNone: here it would only take time")
			}
		}
		small, err := Make(t.Context(), kind, bytes.NewReader(content))
		if err != nil {
			if !errors.Is(err, ErrNone) {
				t.Fatal(err)
			}
			return
		}
		c, _, err := image.DecodeConfig(bytes.NewReader(small))
		if err != nil || c.Width < 1 || c.Height < 1 || c.Width > Width || c.Height > Height {
			t.Fatalf("%d by %d, %v", c.Width, c.Height, err)
		}
	})
}

func BenchmarkMake(b *testing.B) {
	for _, kind := range []string{"image/png", "image/jpeg"} {
		content := encoded(b, kind, quarters(6000, 4000))
		b.Run(kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Make(b.Context(), kind, bytes.NewReader(content)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
