// SPDX-License-Identifier: Apache-2.0

// Cards moved by hand: by a pointer, or with the keys from the grip of a card. A drop sends the card's own form, with
// the version that the card carries; if it is refused, the answer puts the card back and says why.

import { put, send } from "./forms";
import { say } from "./page";
import { hold, release } from "./regions";

// Spot is a place in a column: in a list, before one of its cards, or at its end.
interface Spot {
	list: HTMLElement;
	before: Element | null;
}

// far is how far a pointer goes, in pixels, before it drags.
const far = 5;

let pressed: { tile: HTMLElement; x: number; y: number } | null = null;
let dragged: { tile: HTMLElement; marker: HTMLElement } | null = null;
let lifted: { tile: HTMLElement; grip: HTMLElement; from: Spot } | null = null;
let shifting = false; // the card that is lifted loses its focus for a moment

export function board(): void {
	document.addEventListener("pointerdown", press);
	document.addEventListener("pointermove", drag);
	document.addEventListener("pointerup", () => endDrag(true));
	document.addEventListener("pointercancel", () => endDrag(false));
	document.addEventListener("dragstart", (e) => {
		if (tileOf(e.target)) e.preventDefault(); // links have a way of their own to be dragged
	});
	document.addEventListener("keydown", key);
	document.addEventListener("click", (e) => {
		const grip = (e.target as Element).closest<HTMLElement>(".grip");
		if (grip && e.detail === 0) lifted ? setDown(true) : lift(grip); // by Enter, by Space, or by a screen reader
	});
	document.addEventListener("focusout", (e) => {
		if (lifted?.grip === e.target && !shifting) setDown(false);
	});
}

function tileOf(target: EventTarget | null): HTMLElement | null {
	return (target as Element).closest<HTMLElement>("[data-board] [data-card]");
}

function lists(): HTMLElement[] {
	return [...document.querySelectorAll<HTMLElement>("[data-board] [data-tiles]")];
}

function tiles(list: HTMLElement): HTMLElement[] {
	return [...list.querySelectorAll<HTMLElement>(":scope > [data-card]")];
}

function columnOf(list: HTMLElement): HTMLElement {
	return list.closest<HTMLElement>("[data-status]")!;
}

function spotOf(tile: HTMLElement): Spot {
	return { list: tile.parentElement!, before: tile.nextElementSibling };
}

// where says in words where a card is.
function where(tile: HTMLElement): string {
	const list = tile.parentElement!;
	const all = tiles(list);
	return `${columnOf(list).dataset.status}, place ${all.indexOf(tile) + 1} of ${all.length}`;
}

// By pointer.

function press(e: PointerEvent): void {
	const target = e.target as Element;
	const tile = tileOf(target);
	if (!tile || e.button !== 0 || tile.ariaBusy === "true" || lifted) return;
	// Fingers scroll the page by its cards, so they drag by the grip alone.
	if (!target.closest(".grip") && (e.pointerType !== "mouse" || target.closest("button, summary, form"))) return;
	pressed = { tile, x: e.clientX, y: e.clientY };
}

function drag(e: PointerEvent): void {
	if (pressed && !dragged && Math.hypot(e.clientX - pressed.x, e.clientY - pressed.y) > far) {
		const marker = document.createElement("li");
		marker.className = "drop";
		marker.ariaHidden = "true";
		dragged = { tile: pressed.tile, marker };
		dragged.tile.setPointerCapture(e.pointerId);
		dragged.tile.classList.add("dragged");
		document.documentElement.classList.add("dragging");
		getSelection()?.removeAllRanges();
		hold();
	}
	if (!dragged) return;
	const { tile, marker } = dragged;
	const column = document.elementFromPoint(e.clientX, e.clientY)?.closest<HTMLElement>("[data-board] [data-status]");
	const list = column?.querySelector<HTMLElement>("[data-tiles]");
	if (list) {
		const before = tiles(list).find((t) => {
			const box = t.getBoundingClientRect();
			return t !== tile && e.clientY < box.top + box.height / 2;
		});
		list.insertBefore(marker, before ?? null);
	} else {
		marker.remove();
	}
	for (const l of lists()) l.classList.toggle("target", l === list);
	const edge = 48;
	scrollBy(0, e.clientY < edge ? -12 : e.clientY > innerHeight - edge ? 12 : 0);
	tile.closest("[data-board]")!.scrollBy(e.clientX < edge ? -12 : e.clientX > innerWidth - edge ? 12 : 0, 0);
}

function endDrag(drops: boolean): void {
	pressed = null;
	if (!dragged) return;
	const { tile, marker } = dragged;
	const from = spotOf(tile);
	const list = marker.parentElement;
	let before = marker.nextElementSibling;
	if (before === tile) before = tile.nextElementSibling;
	dragged = null;
	marker.remove();
	if (from.before === marker) from.before = tile.nextElementSibling;
	tile.classList.remove("dragged");
	document.documentElement.classList.remove("dragging");
	for (const l of lists()) l.classList.remove("target");
	// The click that follows was none.
	const stop = (e: Event) => e.preventDefault();
	addEventListener("click", stop, { capture: true, once: true });
	setTimeout(() => removeEventListener("click", stop, { capture: true }), 0);
	if (drops && list) void drop(tile, { list, before }, from);
	else void release();
}

// By keys.

function lift(grip: HTMLElement): void {
	const tile = tileOf(grip);
	if (!tile || tile.ariaBusy === "true") return;
	lifted = { tile, grip, from: spotOf(tile) };
	tile.classList.add("held");
	grip.ariaPressed = "true";
	hold();
	say(`${tile.dataset.card} lifted in ${where(tile)}. Arrow keys move it, Enter drops it, Escape puts it back.`);
}

function key(e: KeyboardEvent): void {
	if (e.key === "Escape" && (dragged || lifted)) {
		e.preventDefault();
		if (dragged) endDrag(false);
		else setDown(false);
	}
	if (!lifted || !e.key.startsWith("Arrow")) return;
	e.preventDefault();
	const { tile } = lifted;
	const list = tile.parentElement!;
	const all = tiles(list);
	const at = all.indexOf(tile);
	switch (e.key) {
		case "ArrowUp":
			if (at > 0) shift({ list, before: all[at - 1] });
			break;
		case "ArrowDown":
			if (at < all.length - 1) shift({ list, before: all[at + 1].nextElementSibling });
			break;
		default: {
			const columns = lists();
			const next = columns[columns.indexOf(list) + (e.key === "ArrowRight" ? 1 : -1)];
			if (next) shift({ list: next, before: tiles(next)[at] ?? null });
		}
	}
	say(where(tile));
}

function shift(to: Spot): void {
	const { tile, grip } = lifted!;
	shifting = true;
	to.list.insertBefore(tile, to.before);
	grip.focus({ preventScroll: true });
	shifting = false;
	tile.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// setDown ends a lift: the card is dropped where it is, or goes back.
function setDown(drops: boolean): void {
	const { tile, grip, from } = lifted!;
	const to = spotOf(tile);
	shifting = true;
	from.list.insertBefore(tile, from.before);
	if (drops) to.list.insertBefore(tile, to.before === tile ? tile.nextElementSibling : to.before);
	if (drops || document.activeElement === document.body) grip.focus({ preventScroll: true });
	shifting = false;
	lifted = null;
	tile.classList.remove("held");
	grip.ariaPressed = "false";
	if (drops) {
		void drop(tile, to, from);
	} else {
		say(`${tile.dataset.card} is back in ${where(tile)}.`);
		void release();
	}
}

// drop puts a card to a spot and has the server do the same. What it answers decides.
async function drop(tile: HTMLElement, to: Spot, from: Spot): Promise<void> {
	const grip = tile.querySelector<HTMLElement>(".grip");
	const focused = document.activeElement === grip;
	if (to.list === from.list && to.before === from.before) {
		say(`${tile.dataset.card} stays in ${where(tile)}.`);
		void release();
		return;
	}
	to.list.insertBefore(tile, to.before);
	if (focused) grip?.focus({ preventScroll: true });
	say(`${tile.dataset.card} dropped in ${where(tile)}.`);
	tile.ariaBusy = "true";
	const all = tiles(to.list);
	const after = all[all.indexOf(tile) - 1]?.dataset.card ?? "";
	const form = tile.querySelector("form")!;
	const answer = await send(
		form,
		{ status: columnOf(to.list).dataset.status!, place: after ? "after" : "top", after, hand: "yes" },
		["problems", columnOf(from.list).id, columnOf(to.list).id].join(" "),
	);
	await release();
	tile.ariaBusy = null;
	if (!answer || !put(answer, form)) {
		from.list.insertBefore(tile, from.before?.parentElement === from.list ? from.before : null);
		say(`${tile.dataset.card} is back in ${where(tile)}.`);
	} else if (answer.status >= 400) {
		say(`${tile.dataset.card} was not moved.`);
	}
}
