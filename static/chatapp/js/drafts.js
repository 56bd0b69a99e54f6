// @ts-check
/**
 * The unsent text of a chat, kept in this browser. While a message is on its way its draft also holds the client_id,
 * so that sending it again, even after a reload, cannot send it twice.
 */

import { recall, remember } from "./preferences.js";

const SAVE_AFTER = 300;

/** @typedef {{text: string, clientId: string}} Attempt */

export class Draft {
  #user;
  #key;
  #clock = 0;
  #attempt = nothing();
  /** What this page has put into the empty page's draft. */
  #left = "";
  /** What this page last read or wrote: what other pages have made of it since is theirs. */
  #known = nothing();

  /** @param {string} user @param {string} thread "" for the empty page */
  constructor(user, thread) {
    this.#user = user;
    this.#key = keyOf(user, thread);
  }

  /** The text as it was left. */
  read() {
    this.#known = parse(recall(this.#key));
    if (this.#known.clientId) this.#attempt = this.#known;
    return this.#known.text;
  }

  /** Only what is news: a page that was not touched leaves the draft of another one alone. @param {string} text */
  save(text) {
    clearTimeout(this.#clock);
    const draft = { text, clientId: text === this.#attempt.text ? this.#attempt.clientId : "" };
    if (text === this.#known.text && draft.clientId === this.#known.clientId) return;
    this.#known = draft;
    write(this.#key, draft);
  }

  /** When the typing has paused. @param {() => void} save */
  saveSoon(save) {
    clearTimeout(this.#clock);
    this.#clock = setTimeout(save, SAVE_AFTER);
  }

  /**
   * The id to send this text under: the same one until the server has answered, or the text is another.
   * @param {string} text
   * @returns {Attempt}
   */
  attempt(text) {
    if (this.#attempt.text !== text) this.#attempt = { text, clientId: newId() };
    this.save(text);
    return this.#attempt;
  }

  /** The message has arrived. @param {string} rest what was typed since */
  settle(rest) {
    this.#attempt = nothing();
    this.save(rest);
  }

  /** The thread is gone: its draft waits on the empty page, behind what waits there. @param {string} text */
  leave(text) {
    clearTimeout(this.#clock);
    const there = keyOf(this.#user, "");
    const waiting = parse(recall(there)).text;
    const before = waiting.endsWith(this.#left) ? waiting.slice(0, waiting.length - this.#left.length) : waiting;
    this.#left = text.trim() && before ? `\n\n${text}` : text.trim() && text;
    if (before + this.#left !== waiting) write(there, { text: before + this.#left, clientId: "" });
    write(this.#key, nothing());
  }

  /**
   * Another page has sent or emptied this draft: `emptied` is told whether the box still shows what it was.
   * @param {() => string} shown what is in the box
   * @param {() => void} emptied
   */
  watch(shown, emptied) {
    window.addEventListener("storage", ({ key, newValue }) => {
      if (key !== this.#key || newValue !== null || shown() !== this.#known.text) return;
      this.#known = this.#attempt = nothing();
      emptied();
    });
  }

  /** The message has arrived, and made a thread: what was typed since is its draft. @param {string} thread @param {string} rest */
  settleIn(thread, rest) {
    this.settle("");
    write(keyOf(this.#user, thread), { text: rest, clientId: "" });
  }
}

/** Of a thread that was deleted. @param {string} user @param {string} thread */
export function forgetDraft(user, thread) {
  write(keyOf(user, thread), nothing());
}

/** @param {string} user @param {string} thread */
function keyOf(user, thread) {
  return `draft:${user}:${thread || "new"}`;
}

/** @param {string} key @param {Attempt} draft */
function write(key, draft) {
  remember(key, draft.text ? JSON.stringify(draft) : null);
}

/** @param {string | null} stored @returns {Attempt} */
function parse(stored) {
  try {
    const { text = "", clientId = "" } = JSON.parse(stored ?? "{}");
    return { text: String(text), clientId: String(clientId) };
  } catch {
    return nothing();
  }
}

/** @returns {Attempt} */
function nothing() {
  return { text: "", clientId: "" };
}

/** crypto.randomUUID is there on https and localhost only. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
