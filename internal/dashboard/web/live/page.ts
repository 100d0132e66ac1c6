// SPDX-License-Identifier: Apache-2.0

// The page, and what is said on it beside what the server renders.

export const main = document.getElementById("main")!;

// state says in a few words whether the page is live.
export function state(text: string): void {
	write("live-state", text);
}

// say tells a screen reader what just happened by hand.
export function say(text: string): void {
	write("live-says", text);
}

// complain shows what went wrong, until calm. With a link it offers a way on.
export function complain(text: string, link?: { text: string; href: string }): void {
	const alert = write("live-alert", text);
	if (link) {
		const a = document.createElement("a");
		a.href = link.href;
		a.textContent = link.text;
		alert.append(" ", a);
	}
}

export function calm(): void {
	write("live-alert", "");
}

function write(id: string, text: string): HTMLElement {
	const place = document.getElementById(id)!;
	if (place.textContent !== text) place.textContent = text;
	return place;
}

// out says that nobody is signed in any more.
export let out = false;

// signedOut offers to sign in again, and to come back. What is typed stays in its fields.
export function signedOut(why: string): void {
	out = true;
	const next = encodeURIComponent(location.pathname + location.search);
	complain(why, { text: "Sign in", href: "/signin?next=" + next });
}

// wait is how long to wait after so many failures in a row: half a second first, half a minute at most, and never as long
// as everybody else.
export function wait(failures: number): number {
	return Math.min(30_000, 500 * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
}
