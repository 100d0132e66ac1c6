// SPDX-License-Identifier: Apache-2.0

// Forms that are sent without leaving the page. What comes back is the same page that a browser without scripts would
// be led to, with the same words where something has to be mended.

import { calm, complain, main, say } from "./page";
import { type Answer, ask, refreshAll, show } from "./regions";

export function forms(): void {
	document.addEventListener("submit", (e) => {
		const form = e.target as HTMLFormElement;
		if (form.dataset.filter !== undefined) {
			e.preventDefault();
			filter(form, 0);
		} else if (form.dataset.swap !== undefined) {
			e.preventDefault();
			void submit(form);
		}
	});
	document.addEventListener("input", (e) => {
		const form = (e.target as HTMLElement).closest<HTMLFormElement>("form[data-filter]");
		if (form) filter(form, 200);
	});
}

// filter shows what a form asks for, and makes it the page's address.
function filter(form: HTMLFormElement, within: number): void {
	const query = new URLSearchParams();
	for (const [name, value] of new FormData(form)) {
		if (value) query.set(name, String(value));
	}
	history.replaceState(null, "", query.size ? "?" + query : location.pathname);
	refreshAll(within);
}

async function submit(form: HTMLFormElement): Promise<void> {
	const region = form.closest<HTMLElement>("[data-region]");
	const sent = content(form);
	const answer = await send(form);
	if (!answer || !put(answer, form, sent)) return;
	if (answer.status >= 400) {
		document.querySelector<HTMLElement>(".problems")?.focus();
		return;
	}
	say("Done.");
	if (document.activeElement === document.body && region) {
		region.tabIndex = -1; // its button went with what it was for
		region.focus({ preventScroll: true });
	}
}

// send sends a form, with some fields set to other values, and answers with what came back; null where nothing did.
// Until then the form is not sent again.
export async function send(form: HTMLFormElement, fields: Record<string, string> = {}, fragment = ""): Promise<Answer | null> {
	if (form.getAttribute("aria-busy") === "true") return null;
	const data = new FormData(form);
	for (const [name, value] of Object.entries(fields)) data.set(name, value);
	const file = form.enctype === "multipart/form-data";
	form.setAttribute("aria-busy", "true");
	calm();
	try {
		return await ask(form.getAttribute("action")!, {
			method: "POST",
			body: file ? data : new URLSearchParams([...data].map(([name, value]) => [name, String(value)])),
			headers: fragment ? { "X-Fragment": fragment } : {},
		});
	} catch {
		complain("The server could not be reached, so nothing was sent. What you typed is still here: try again.");
		return null;
	} finally {
		form.removeAttribute("aria-busy");
	}
}

// content is what is filled in.
function content(form: HTMLFormElement): string {
	return JSON.stringify([...new FormData(form)].map(([name, value]) => [name, value instanceof File ? [value.name, value.size] : value]));
}

// put shows what came back of a form, and says whether it is for this page. sent is what the form held: whatever was
// filled in since stays.
export function put(answer: Answer, form: HTMLFormElement, sent = content(form)): boolean {
	const done = answer.status < 400 && answer.url.pathname !== "/signin";
	const page = answer.page.getElementById("main")?.dataset.page;
	if (done && (answer.url.pathname !== location.pathname || (page ?? main.dataset.page) !== main.dataset.page)) {
		location.assign(answer.url);
		return false;
	}
	if ((done || page === main.dataset.page) && sent === content(form)) {
		// Its fields are in the answer, if they still matter.
		form.reset();
		delete form.dataset.draft;
	}
	if (done) renew(form, answer);
	if (!done) {
		// Of a page that asks to mend something, the rest may be another part of a list than this one shows.
		const mend = show(answer, page === undefined ? undefined : ["problems", form.closest("[data-region]")?.id]);
		if (mend) refreshAll();
		return mend;
	}
	const folded = form.closest("details");
	if (folded?.open) {
		folded.open = false;
		folded.querySelector("summary")?.focus();
	}
	if (answer.url.search === location.search) return show(answer);
	refreshAll(0); // the page shows another part by now
	return show(answer, ["problems"]);
}

// renew gives a form that was taken the mark of a new one. It may stay where it is, with what was filled in since or
// because the page shows a newer answer already, and with the old mark it would be taken for a repetition.
function renew(form: HTMLFormElement, answer: Answer): void {
	const once = (f?: HTMLFormElement) => f?.querySelector<HTMLInputElement>("input[name=once]");
	const fresh = once([...answer.page.forms].find((f) => f.getAttribute("action") === form.getAttribute("action")));
	const old = once(form);
	if (fresh && old) old.value = fresh.value;
}
