// SPDX-License-Identifier: Apache-2.0

// Measures the page as it is drawn: each text against its ground (4.5:1, or 3:1 where it is large), each edge of a field
// or a button against what it stands on (3:1, unless its own ground sets it apart). Answers with what falls short.
(() => {
	const rgba = (color) => {
		const m = color.match(/[\d.]+/g).map(Number);
		return { r: m[0], g: m[1], b: m[2], a: m.length > 3 ? m[3] : 1 };
	};
	const luminance = ({ r, g, b }) => {
		const [x, y, z] = [r, g, b].map((v) => {
			v /= 255;
			return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
		});
		return 0.2126 * x + 0.7152 * y + 0.0722 * z;
	};
	const ratio = (a, b) => {
		const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
		return (x + 0.05) / (y + 0.05);
	};
	const ground = (e) => {
		for (; e; e = e.parentElement) {
			const c = rgba(getComputedStyle(e).backgroundColor);
			if (c.a === 1) return c;
			if (c.a > 0) return null; // half transparent: nothing of ours is
		}
		return matchMedia("(prefers-color-scheme: dark)").matches ? { r: 18, g: 18, b: 18 } : { r: 255, g: 255, b: 255 };
	};
	const found = [];
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n = texts.nextNode(); n; n = texts.nextNode()) {
		const e = n.parentElement;
		const text = n.data.trim();
		if (!text || !e.checkVisibility({ visibilityProperty: true }) || e.closest(".unseen, .skip")) continue;
		const s = getComputedStyle(e);
		const size = parseFloat(s.fontSize);
		const large = size >= 24 || (size >= 18.66 && parseInt(s.fontWeight) >= 700);
		const back = ground(e);
		const got = back ? ratio(rgba(s.color), back) : 0;
		if (got < (large ? 3 : 4.5)) found.push(`text ${got.toFixed(2)}:1 "${text.slice(0, 40)}" ${s.color}`);
	}
	for (const e of document.querySelectorAll("input:not([type=hidden], [type=checkbox]), select, textarea, button:not(.quiet)")) {
		const s = getComputedStyle(e);
		const around = ground(e.parentElement);
		const edge = Math.max(ratio(rgba(s.borderTopColor), around), ratio(ground(e), around));
		if (edge < 3) found.push(`border ${edge.toFixed(2)}:1 of ${e.tagName.toLowerCase()} ${e.id || e.textContent.trim()}`);
	}
	return found;
})();
