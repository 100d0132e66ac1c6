// SPDX-License-Identifier: Apache-2.0

// One stream of events for the page. A browser opens six connections to a host, for all its tabs together, so a tab that
// nobody has seen for a while closes its stream, and takes it up where it stood when it is seen again.

import { main, out, signedOut, state, wait } from "./page";
import { refresh, refreshAll, regions } from "./regions";

interface Happened {
	kind: string;
	issue?: string;
	changes: { field: string; from?: string; to?: string }[];
}

let source: EventSource | null = null;
let last = main.dataset.cursor ?? "0"; // the cursor of the last event
let failures = 0;
let timer = 0;

export function follow(): void {
	open();
	document.addEventListener("visibilitychange", () => {
		if (document.hidden) later(close, Number(main.dataset.rest ?? 30_000));
		else open();
	});
	addEventListener("pagehide", close);
	addEventListener("pageshow", open);
	addEventListener("online", () => {
		failures = 0;
		if (!source) open();
	});
}

function later(what: () => void, delay: number): void {
	clearTimeout(timer);
	timer = window.setTimeout(what, delay);
}

function close(): void {
	clearTimeout(timer);
	source?.close();
	source = null;
}

function open(): void {
	clearTimeout(timer);
	if (source || out) return;
	const stream = (source = new EventSource(`/api/stream?topics=${encodeURIComponent(main.dataset.topics!)}&after=${last}`));
	stream.onopen = () => {
		failures = 0;
		state("Live");
	};
	stream.onerror = () => {
		// The browser's own way to try again keeps asking for what it asked first, as often as it likes.
		const refused = stream.readyState === EventSource.CLOSED;
		again();
		if (refused) refreshAll(); // whose answer knows why
	};
	for (const kind of main.dataset.kinds!.split(" ")) {
		stream.addEventListener(kind, (e) => {
			last = e.lastEventId || last;
			refresh(concerned(JSON.parse(e.data)));
		});
	}
	stream.addEventListener("stale", (e) => {
		last = JSON.parse(e.data).cursor;
		refreshAll();
	});
	stream.addEventListener("end", (e) => end(JSON.parse(e.data).reason));
}

function again(): void {
	close();
	state("Reconnecting…");
	later(open, wait(failures++));
}

function end(reason: string): void {
	switch (reason) {
		case "signed_out":
		case "key_revoked":
			close();
			state("No longer live");
			signedOut("You are signed out, so this page shows what was.");
			return;
		case "permissions_changed":
			refreshAll();
	}
	again();
}

// concerned are the regions that an event concerns. Of columns that is those that the card is in, was in or goes to;
// where nobody can tell, it may be any.
function concerned(e: Happened): string[] {
	const all = regions().filter((r) => r.dataset.on?.split(" ").some((kind) => kind === "*" || kind === e.kind));
	const columns = all.filter((r) => r.dataset.status !== undefined);
	const moved = e.changes.find((c) => c.field === "status");
	const certain = columns.filter((r) => {
		const status = r.dataset.status;
		return status === moved?.from || status === moved?.to || r.querySelector(`[data-card="${e.issue}"]`);
	});
	return all.filter((r) => !columns.includes(r) || !certain.length || certain.includes(r)).map((r) => r.id);
}
