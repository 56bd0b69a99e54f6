// @ts-check
/**
 * The text of an answer while it is being written. Blocks that are closed are final HTML from the server; the open
 * one is plain text in the shape of its kind.
 */

import { dress } from "./blocks.js";

const CHUNK = 4000;
const CODE = ["pre", "code"];

/** @typedef {{kind: string, text: string, lang?: string, marker?: string, depth?: number}} OpenBlock */

/**
 * Applies one `text_delta` to its part. Blocks are only ever appended: the browser looks again at the style of all that
 * stands behind an insertion.
 * @param {HTMLElement} part
 * @param {{text: string, closed?: [number, string][], open?: OpenBlock}} delta
 */
export function writeText(part, { text, closed = [], open }) {
  if (!open && !closed.length) return append(openOf(part) ?? putOpen(part, { kind: "p", text: "" }), text);
  openOf(part)?.remove();
  for (const [number, html] of closed) putBlock(part, number, html);
  if (open) putOpen(part, open);
}

/** A list or table that is sent again as it grows gains what is new. @param {HTMLElement} part @param {number} number @param {string} html */
function putBlock(part, number, html) {
  const fresh = document.createElement("div");
  fresh.className = "block";
  fresh.dataset.n = String(number);
  fresh.innerHTML = html;
  dress(fresh, { unfolded: true });
  const known = part.querySelector(`:scope > .block[data-n="${number}"]`);
  if (known) patch(known, fresh);
  else part.append(fresh);
}

/** Makes the element equal to the fresh one, and touches nothing in it that is equal already. @param {Element} old @param {Element} fresh */
function patch(old, fresh) {
  if (!old.cloneNode().isEqualNode(fresh.cloneNode())) return old.replaceWith(fresh);
  const known = Array.from(old.childNodes);
  for (const child of known.splice(fresh.childNodes.length)) child.remove();
  for (const [n, child] of Array.from(fresh.childNodes).entries()) {
    if (known[n]) patchNode(known[n], child);
    else old.append(child);
  }
}

/** @param {ChildNode} old @param {ChildNode} fresh */
function patchNode(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old instanceof Element && fresh instanceof Element) patch(old, fresh);
  else old.replaceWith(fresh);
}

/** @param {HTMLElement} part */
function openOf(part) {
  return /** @type {HTMLElement | null} */ (part.querySelector(".open"));
}

/** @param {HTMLElement} part @param {OpenBlock} open */
function putOpen(part, open) {
  const code = open.kind === "code" ? lastCode(part) : null;
  const element = document.createElement(code ? "span" : "div");
  element.className = "open";
  element.dir = "auto";
  element.dataset.kind = open.kind;
  if (open.lang) element.dataset.lang = open.lang;
  if (open.marker) element.dataset.marker = open.marker;
  if (open.depth) element.dataset.depth = String(open.depth);
  element.append(open.text);
  (code ?? part).append(element);
  return element;
}

/** @param {HTMLElement} part */
function lastCode(part) {
  const block = Array.from(part.querySelectorAll(":scope > .block")).at(-1);
  return Array.from(block?.querySelectorAll("pre > code") ?? []).at(-1) ?? null;
}

/** @param {HTMLElement} element @param {string} text */
function append(element, text) {
  if (!(element.lastChild instanceof Text)) element.append("");
  const last = /** @type {Text} */ (element.lastChild);
  last.appendData(text);
  if (last.length > CHUNK && CODE.includes(element.dataset.kind ?? "")) settleLines(last);
}

/** Lines of code that are whole get a box of their own: the browser does not lay them out again. @param {Text} text */
function settleLines(text) {
  const end = text.data.lastIndexOf("\n") + 1;
  if (!end) return;
  const lines = document.createElement("div");
  lines.append(text.data.slice(0, end));
  text.before(lines);
  text.deleteData(0, end);
}
