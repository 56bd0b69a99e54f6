// @ts-check
/** What the composer shows, as a pure function of what it knows. */

import { number, sentences, word } from "./words.js";

/**
 * @typedef {object} State
 * @property {string} status what the server says of the thread
 * @property {boolean} isNew the empty page: there is no thread yet
 * @property {boolean} isBlank nothing but white space is typed
 * @property {number} count characters typed; only counted near the limit, else 0
 * @property {number} limit
 * @property {boolean} sending
 * @property {boolean} stopping shown 300 ms after the click
 * @property {number | null} offline seconds until the next try, null while connected
 * @property {string} failure why the last command did not work; "" when it did
 * @property {boolean} unsent the last send did not arrive
 * @property {"" | "deleted" | "signedout"} ended
 * @property {boolean} novice has not sent three messages yet
 */

/** @typedef {"hint" | "quiet" | "calm" | "danger"} Tone the first two are left out where there is no room */

/**
 * @typedef {object} View
 * @property {{hidden: boolean, disabled: boolean, again: boolean}} send
 * @property {{hidden: boolean, disabled: boolean, outline: boolean, label: string}} stop
 * @property {string} note
 * @property {string} key the hint at the end of the line
 * @property {Tone} tone
 * @property {string} placeholder "" leaves the empty page's own
 */

/**
 * @param {State} state
 * @returns {View}
 */
export function composerView(state) {
  return { send: sendButton(state), stop: stopButton(state), ...noteOf(state), placeholder: placeholderOf(state) };
}

/** Whether the text may go out now; while an answer is written it joins the queue. @param {State} state */
export function canSend(state) {
  const isOpen = state.status !== "waiting" && state.ended !== "deleted";
  return isOpen && !state.isBlank && !state.sending && overLimit(state) <= 0;
}

/** @param {State} state */
export function isLive(state) {
  return state.status === "running" || state.status === "waiting";
}

/** @param {State} state */
function overLimit(state) {
  return state.count - state.limit;
}

/** @param {State} state */
function sendButton(state) {
  const hidden = state.status === "running" && state.isBlank;
  return { hidden, disabled: !canSend(state), again: state.unsent && !state.isBlank && !state.sending };
}

/** @param {State} state */
function stopButton(state) {
  return {
    hidden: !isLive(state) || state.ended === "deleted",
    disabled: state.stopping,
    outline: state.status === "waiting",
    label: word(state.stopping ? "composer.stopping" : "composer.stop"),
  };
}

/** @param {State} state */
function placeholderOf(state) {
  if (state.isNew) return "";
  const known = ["running", "waiting", "interrupted"].includes(state.status);
  return word(known ? `composer.placeholder.${state.status}` : "composer.placeholder");
}

/**
 * What matters most comes first: that nothing can be sent, what went wrong, and only then how things are.
 * @param {State} state
 * @returns {{note: string, key: string, tone: Tone}}
 */
function noteOf(state) {
  if (state.ended) return calm(word(`composer.${state.ended}`));
  if (state.failure) return danger(state.failure);
  if (overLimit(state) > 0) return danger(tooLong(overLimit(state)));
  if (state.offline !== null) return calm(offlineText(state, state.offline));
  return quietNote(state);
}

/**
 * @param {State} state
 * @returns {{note: string, key: string, tone: Tone}}
 */
function quietNote(state) {
  if (state.count) return calm(word("composer.counted", { count: number(state.count), limit: number(state.limit) }));
  if (state.status === "waiting") return calm(word("composer.waiting"));
  if (state.status !== "running") return hint(state);
  if (!state.isBlank) return calm(word("composer.queues"));
  return { note: word("composer.saved"), key: word("composer.escape"), tone: "quiet" };
}

/**
 * @param {State} state
 * @returns {{note: string, key: string, tone: "hint"}}
 */
function hint(state) {
  const shown = state.novice && state.isBlank && !state.isNew && !state.sending;
  return { note: shown ? word("composer.hint") : "", key: "", tone: "hint" };
}

/**
 * @param {State} state
 * @param {number} seconds
 */
function offlineText(state, seconds) {
  const retry = seconds > 0 ? word("composer.offline", { seconds }) : word("composer.offline.now");
  return state.status === "running" ? sentences(retry, word("composer.offline.live")) : retry;
}

/** @param {number} over */
function tooLong(over) {
  return over === 1 ? word("composer.long.one") : word("composer.long", { count: number(over) });
}

/**
 * @param {string} note
 * @returns {{note: string, key: string, tone: "calm"}}
 */
function calm(note) {
  return { note, key: "", tone: "calm" };
}

/**
 * @param {string} note
 * @returns {{note: string, key: string, tone: "danger"}}
 */
function danger(note) {
  return { note, key: "", tone: "danger" };
}
