// @ts-check
/** Reading turns again from the server, and putting them into the page without touching what a reader has opened. */

import { dress, keepBlocks } from "./blocks.js";
import { emit } from "./signals.js";

const TIMEOUT_MS = 15_000;
const LONGEST_TIMEOUT_MS = 120_000;

/**
 * `status` 0: the server was not reached.
 * @typedef {{status: number, body: HTMLElement | null}} Reading
 */

/**
 * @param {string} url
 * @param {number} tries before this one, each with half the patience: a slow line may need longer
 * @returns {Promise<Reading>}
 */
export async function readHtml(url, tries = 0) {
  try {
    const response = await fetch(url, {
      headers: { "HX-Request": "true" },
      credentials: "same-origin",
      signal: AbortSignal.timeout(Math.min(LONGEST_TIMEOUT_MS, TIMEOUT_MS * 2 ** tries)),
    });
    return { status: response.status, body: response.ok ? parse(await response.text()) : null };
  } catch {
    return { status: 0, body: null };
  }
}

/** @param {string} html */
function parse(html) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  dress(body);
  return body;
}

/** @param {ParentNode} root @returns {HTMLElement[]} */
export function turnsIn(root) {
  return Array.from(root.querySelectorAll(".turn"));
}

/**
 * Makes the turns those of the page that was read. Unchanged ones are not touched.
 * @param {HTMLElement} turns
 * @param {HTMLElement[]} fresh
 * @param {HTMLElement[]} older those on the page that are to stay before them
 * @returns {HTMLElement[]} those that were not here before
 */
export function morph(turns, fresh, older) {
  const known = new Map(turnsIn(turns).map((turn) => [turn.id, turn]));
  const added = fresh.filter((turn) => !known.has(turn.id));
  const wanted = fresh.map((turn) => merge(known.get(turn.id), turn));
  const kept = new Set([...older, ...wanted]);
  for (const turn of turnsIn(turns)) if (!kept.has(turn) && turn.dataset.run) drop(turn);
  let place = older.at(-1)?.nextElementSibling ?? (older.length ? null : turns.firstElementChild);
  for (const turn of wanted) {
    if (turn === place) place = turn.nextElementSibling;
    else turns.insertBefore(turn, place);
  }
  return added;
}

/** @param {HTMLElement} turn */
function drop(turn) {
  for (const editor of turn.querySelectorAll(".editor:not([data-sent])")) rescue(editor);
  turn.remove();
}

/** The turns on the page that are older than those that were read: they stay. @param {HTMLElement} turns @param {HTMLElement | undefined} first */
export function olderThan(turns, first) {
  const all = turnsIn(turns);
  const at = all.findIndex((turn) => turn.id === first?.id);
  return at > 0 ? all.slice(0, at) : [];
}

/**
 * The old element where nothing has changed, else the fresh one in its place.
 * @param {HTMLElement | undefined} old
 * @param {HTMLElement} fresh
 */
export function merge(old, fresh) {
  if (!old) return fresh;
  keepState(old, fresh);
  const moveEditors = keepEditors(old, fresh);
  if (old.isEqualNode(fresh)) return old;
  const focused = focusIn(old);
  moveEditors();
  old.replaceWith(fresh);
  if (focused) refocus(focused, old, fresh);
  return fresh;
}

/** What the reader has done to a turn. @param {HTMLElement} old @param {HTMLElement} fresh */
function keepState(old, fresh) {
  keepUnfolded(old, fresh);
  for (const details of old.querySelectorAll("details[open]")) open(twinOf(details, old, fresh));
  keepBlocks(old, fresh);
  keepTokens(old, fresh);
  if (old.dataset.room !== undefined) fresh.dataset.room = "";
  if (old.style.minHeight) fresh.style.minHeight = old.style.minHeight;
}

/** Steps that the reader has seen one by one do not fold before their eyes. @param {HTMLElement} old @param {HTMLElement} fresh */
function keepUnfolded(old, fresh) {
  for (const group of fresh.querySelectorAll(".step-group")) {
    const shown = old.querySelector(`#${CSS.escape(group.querySelector(".step")?.id ?? "")}`);
    if (shown && !shown.closest(".step-group")) group.replaceWith(...group.querySelectorAll(":scope > .part"));
  }
}

/** With all that it stands in. @param {Element | null | undefined} details */
function open(details) {
  for (let place = details; place; place = place.parentElement?.closest("details")) place.setAttribute("open", "");
}

/**
 * The same thing in the fresh turn: by its id, its index, what it holds, or its place among its like.
 * @param {Element} element
 * @param {HTMLElement} old
 * @param {HTMLElement} fresh
 * @returns {Element | null | undefined}
 */
function twinOf(element, old, fresh) {
  if (element.id) return fresh.querySelector(`#${CSS.escape(element.id)}`);
  const index = element.getAttribute("data-index");
  if (index !== null) return fresh.querySelector(`${element.localName}[data-index="${CSS.escape(index)}"]`);
  if (element.matches(".step-group")) return groupOf(element, fresh);
  const selector = `${element.localName}.${CSS.escape(element.classList[0] ?? "")}`;
  return fresh.querySelectorAll(selector)[Array.from(old.querySelectorAll(selector)).indexOf(element)];
}

/** @param {Element} group @param {HTMLElement} fresh */
function groupOf(group, fresh) {
  const id = group.querySelector("[id]")?.id ?? "";
  return fresh.querySelector(`#${CSS.escape(id)}`)?.closest(".step-group");
}

/** A form's token is another one in each answer; both are good, and an equal turn need not be touched. @param {HTMLElement} old @param {HTMLElement} fresh */
function keepTokens(old, fresh) {
  const [before, after] = [old, fresh].map((turn) => turn.querySelectorAll("[name=csrfmiddlewaretoken]"));
  for (const [n, token] of before.entries()) after[n]?.setAttribute("value", token.getAttribute("value") ?? "");
}

/**
 * An editor that is open stays, with what is typed in it, as long as its message is there.
 * @param {HTMLElement} old
 * @param {HTMLElement} fresh gets copies: whether anything else has changed can be seen
 * @returns {() => void} puts the editors themselves into their places
 */
function keepEditors(old, fresh) {
  /** @type {(() => void)[]} */
  const moves = [];
  for (const editor of old.querySelectorAll(".editor:not([data-sent])")) {
    const message = editor.closest("[data-ref]");
    const ref = message?.getAttribute("data-ref") ?? "";
    const twin = fresh.querySelector(`[data-ref="${CSS.escape(ref)}"]`);
    if (!message || !twin) {
      rescue(editor);
      continue;
    }
    const copy = /** @type {Element} */ (message.cloneNode(true));
    twin.replaceWith(copy);
    moves.push(() => copy.replaceWith(message));
  }
  return () => moves.forEach((move) => move());
}

/** The message is gone; what was typed over it goes into the box. @param {Element} editor */
function rescue(editor) {
  const field = editor.querySelector("textarea");
  if (field && field.value !== field.defaultValue) emit("chat:restore", { text: field.value });
}

/** @param {HTMLElement} turn */
function focusIn(turn) {
  const focused = document.activeElement;
  return focused instanceof HTMLElement && turn.contains(focused) ? focused : null;
}

/**
 * To the same thing in the fresh turn, else to the turn itself: a reader's place on the page is not lost.
 * @param {HTMLElement} focused
 * @param {HTMLElement} old
 * @param {HTMLElement} fresh
 */
function refocus(focused, old, fresh) {
  const twin = (fresh.contains(focused) ? focused : twinOfFocus(focused, old, fresh)) ?? fresh;
  open(twin.closest("summary") ? twin.closest("details")?.parentElement?.closest("details") : twin.closest("details"));
  /** @type {HTMLElement} */ (twin).focus({ preventScroll: true });
}

/** @param {HTMLElement} focused @param {HTMLElement} old @param {HTMLElement} fresh */
function twinOfFocus(focused, old, fresh) {
  const details = focused.closest("summary")?.parentElement;
  if (details) return twinOf(details, old, fresh)?.querySelector("summary");
  const action = focused.dataset.action;
  if (action) return fresh.querySelector(`[data-action="${CSS.escape(action)}"]`);
  return focused.id ? twinOf(focused, old, fresh) : null;
}
