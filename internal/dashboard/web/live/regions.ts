// SPDX-License-Identifier: Apache-2.0

// Regions of the page are fetched again when something happened to what they show. Events are many and answers come in
// any order; still each region ends as the server renders it, because an answer is only shown where no later question
// has been answered yet, and whatever happens after a question was asked makes another.

import { morph } from "./morph";
import { complain, main, signedOut, wait } from "./page";

// joined is how long the events of a burst are waited for, in milliseconds.
const joined = 100;

const shown = new Map<string, number>(); // by region: the number of the question whose answer it shows
const dirty = new Set<string>(); // regions that something happened to
let asked = 0;
let asking = false;
let failures = 0;
let timer = 0;
let timerAt = Infinity;
let hands = 0; // that hold a card
let held: Promise<void> | null = null; // until they let go
let letGo = () => {};

export function regions(): HTMLElement[] {
	return [...main.querySelectorAll<HTMLElement>("[data-region]")];
}

// refresh fetches regions again, soon.
export function refresh(ids: string[], within = joined): void {
	for (const id of ids) dirty.add(id);
	schedule(within);
}

// refreshAll fetches everything that can change.
export function refreshAll(within = joined): void {
	refresh(regions().filter((r) => r.dataset.on !== undefined).map((r) => r.id), within);
}

// hold keeps the page as it is until release: what a hand aims at must not move.
export function hold(): void {
	hands++;
	held ??= new Promise((done) => (letGo = done));
}

// release lets go, and answers when no hand holds any more.
export async function release(): Promise<void> {
	if (--hands === 0) {
		held = null;
		letGo();
		schedule(0);
	}
	await held;
}

function schedule(delay: number): void {
	const at = performance.now() + delay;
	if (!dirty.size || asking || held || at >= timerAt) return;
	clearTimeout(timer);
	timerAt = at;
	timer = window.setTimeout(() => {
		timerAt = Infinity;
		void fetchDirty();
	}, delay);
}

async function fetchDirty(): Promise<void> {
	if (asking || held || !dirty.size) return;
	asking = true;
	const ids = [...dirty];
	dirty.clear();
	let pause = 0;
	try {
		const answer = await ask(location.href, { headers: { "X-Fragment": ids.join(" ") } });
		if (answer.status >= 500) throw new Error("status " + answer.status);
		await held;
		show(answer);
		failures = 0;
	} catch {
		for (const id of ids) dirty.add(id);
		pause = wait(failures++);
	}
	asking = false;
	schedule(pause);
}

// Answer is a page, or regions of one, and when it was asked for.
export interface Answer {
	number: number;
	url: URL;
	status: number;
	page: Document;
}

// ask sends a request and reads the whole answer. It throws where there is none.
export async function ask(url: string, init: RequestInit): Promise<Answer> {
	const number = ++asked;
	const response = await fetch(url, { cache: "no-store", ...init });
	const page = new DOMParser().parseFromString(await response.text(), "text/html");
	return { number, url: new URL(response.url), status: response.status, page };
}

// show puts the regions of an answer into the page, or some of them, and says whether there were any. An answer that is
// another page is told of: to sign in, or why it could not be.
export function show(answer: Answer, only?: (string | undefined)[]): boolean {
	if (answer.url.pathname === "/signin") {
		signedOut("You are signed out, so this page shows what was, and nothing that you send is taken.");
		return false;
	}
	const other = answer.page.getElementById("main");
	if (other && other.dataset.page !== main.dataset.page) {
		complain([...other.querySelectorAll("h1, p:not(:has(a))")].map((e) => e.textContent!.trim().replace(/[^.!?]$/, "$&.")).join(" "));
		return false;
	}
	const pairs: [Element, Element][] = [];
	for (const to of answer.page.querySelectorAll("[data-region]")) {
		const from = document.getElementById(to.id);
		if (from && (only?.includes(to.id) ?? true) && (shown.get(to.id) ?? 0) <= answer.number) {
			shown.set(to.id, answer.number);
			pairs.push([from, to]);
		}
	}
	morph(pairs);
	document.title = answer.page.title || document.title;
	return true;
}
