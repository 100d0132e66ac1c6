// SPDX-License-Identifier: Apache-2.0

package thumbnail

import (
	"bytes"
	"encoding/binary"
	"image"
)

// An orientation says how the pixels of a photo lie, as EXIF's tag 0x0112 numbers it.
type orientation uint16

const upright orientation = 1

// onItsSide says whether width and height of the photo are the other way round.
func (o orientation) onItsSide() bool { return o >= 5 }

// apply turns an image upright.
func (o orientation) apply(src *image.RGBA) *image.RGBA {
	if o == upright {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	if o.onItsSide() {
		dst = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			toX, toY := o.place(x, y, w, h)
			copy(dst.Pix[dst.PixOffset(toX, toY):][:4], src.Pix[src.PixOffset(x, y):][:4])
		}
	}
	return dst
}

// place is where a pixel of an image of w by h comes to lie.
func (o orientation) place(x, y, w, h int) (int, int) {
	switch o {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return h - 1 - y, x
	case 7:
		return h - 1 - y, w - 1 - x
	case 8:
		return y, w - 1 - x
	}
	return x, y
}

// orientationOf finds the orientation in the beginning of a JPEG. What cannot be read is upright.
func orientationOf(jpeg []byte) orientation {
	const start, exif, scan = 0xd8, 0xe1, 0xda
	if len(jpeg) < 2 || jpeg[0] != 0xff || jpeg[1] != start {
		return upright
	}
	for rest := jpeg[2:]; len(rest) >= 4 && rest[0] == 0xff; {
		if rest[1] == 0xff { // a filling byte
			rest = rest[1:]
			continue
		}
		marker, length := rest[1], int(binary.BigEndian.Uint16(rest[2:]))
		if marker == scan || length < 2 || len(rest) < 2+length {
			break
		}
		if tiff, ok := bytes.CutPrefix(rest[4:2+length], []byte("Exif\x00\x00")); ok && marker == exif {
			return orientationIn(tiff)
		}
		rest = rest[2+length:]
	}
	return upright
}

// orientationIn reads the tag from the first directory of a TIFF header.
func orientationIn(tiff []byte) orientation {
	const header, entry, tag, short = 8, 12, 0x0112, 3
	if len(tiff) < header {
		return upright
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return upright
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return upright
	}
	entries := tiff[at+2:]
	for n := order.Uint16(tiff[at:]); n > 0 && len(entries) >= entry; n-- {
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			if o := orientation(order.Uint16(entries[8:])); o >= upright && o <= 8 {
				return o
			}
			return upright
		}
		entries = entries[entry:]
	}
	return upright
}
