// SPDX-License-Identifier: Apache-2.0

// Turns elements of the page into those of an answer with as little as possible: what has the same id stays the same
// element wherever it goes, so that it keeps its focus, its selection, what is open and what is typed.

// kept are the elements of the regions at hand that have an id.
let kept = new Map<string, Element>();

// morph turns the first of each pair into the second.
export function morph(pairs: [Element, Element][]): void {
	const focus = document.activeElement;
	const caret = selection(focus);
	kept = new Map();
	for (const [from] of pairs) {
		for (const e of from.querySelectorAll("[id]")) kept.set(e.id, e);
	}
	for (const [from, to] of pairs) element(from, to);
	kept = new Map();
	if (focus instanceof HTMLElement && focus !== document.activeElement && focus.isConnected) {
		focus.focus({ preventScroll: true });
		if (caret && typing(focus)) focus.setSelectionRange(caret[0], caret[1]);
	}
}

type Typing = HTMLInputElement | HTMLTextAreaElement;

function typing(e: Element | null): e is Typing {
	return e instanceof HTMLTextAreaElement || (e instanceof HTMLInputElement && ["text", "search"].includes(e.type));
}

function selection(e: Element | null): [number, number] | null {
	return typing(e) ? [e.selectionStart ?? 0, e.selectionEnd ?? 0] : null;
}

function element(from: Element, to: Element): void {
	if (from instanceof HTMLFormElement && (from.dataset.draft !== undefined || edited(from))) return;
	attributes(from, to);
	if (from instanceof HTMLTextAreaElement) {
		from.value = from.defaultValue = to.textContent ?? "";
		return;
	}
	children(from, to);
	if (from instanceof HTMLInputElement && from.type !== "file") from.value = from.defaultValue;
	if (from instanceof HTMLSelectElement) {
		for (const o of from.options) o.selected = o.defaultSelected;
	}
}

// edited says whether somebody has changed a field of a form since the server rendered it. Such a form stays as it is,
// with the version of what it was made from: sending it must not write over what its writer never saw.
function edited(form: HTMLFormElement): boolean {
	return [...form.elements].some((e) => {
		if (e instanceof HTMLSelectElement) {
			const usual = Math.max(0, [...e.options].findIndex((o) => o.defaultSelected));
			return e.selectedIndex !== usual;
		}
		if (e instanceof HTMLInputElement && e.type === "file") return e.value !== "";
		if (e instanceof HTMLInputElement && e.type === "hidden") return false;
		if (e instanceof HTMLInputElement || e instanceof HTMLTextAreaElement) return e.value !== e.defaultValue;
		return false;
	});
}

function attributes(from: Element, to: Element): void {
	for (const { name } of [...from.attributes]) {
		// What a reader has opened stays open until they close it.
		if (!to.hasAttribute(name) && !(name === "open" && from instanceof HTMLDetailsElement)) from.removeAttribute(name);
	}
	for (const { name, value } of to.attributes) {
		if (from.getAttribute(name) !== value) from.setAttribute(name, value);
	}
}

function children(from: Element, to: Element): void {
	let at = from.firstChild;
	for (const next of [...to.childNodes]) {
		const match = counterpart(next, at);
		if (!match) {
			from.insertBefore(document.importNode(next, true), at);
			continue;
		}
		if (match === at) at = at.nextSibling;
		else from.insertBefore(match, at);
		if (next instanceof Element) element(match as Element, next);
		else if (match.nodeValue !== next.nodeValue) match.nodeValue = next.nodeValue;
	}
	while (at) {
		const rest: ChildNode = at;
		at = at.nextSibling;
		rest.remove();
	}
}

// counterpart is the node that becomes next: the one with its id, or the first from at on that is of its kind and has
// none.
function counterpart(next: ChildNode, at: ChildNode | null): ChildNode | null {
	if (next instanceof Element && next.id) {
		const same = kept.get(next.id);
		return same?.nodeName === next.nodeName ? same : null;
	}
	for (let node = at; node; node = node.nextSibling) {
		if (node.nodeName === next.nodeName && !(node instanceof Element && node.id)) return node;
	}
	return null;
}
