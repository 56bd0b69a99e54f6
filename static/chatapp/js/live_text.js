// @ts-check
/**
 * The text of an answer while it is being written. Blocks that are closed are final HTML from the server; the open
 * one is plain text in the shape of its kind.
 */

import { dress } from "./blocks.js";

/** @typedef {{kind: string, text: string, lang?: string, marker?: string, depth?: number}} OpenBlock */

/**
 * Applies one `text_delta` to its part.
 * @param {HTMLElement} part
 * @param {{text: string, closed?: [number, string][], open?: OpenBlock}} delta
 */
export function writeText(part, { text, closed = [], open }) {
  for (const [number, html] of closed) putBlock(part, number, html);
  if (open) putOpen(part, open);
  else if (closed.length) openOf(part)?.remove();
  else if (text) append(openOf(part) ?? putOpen(part, { kind: "p", text: "" }), text);
}

/** A block that is sent again replaces itself. @param {HTMLElement} part @param {number} number @param {string} html */
function putBlock(part, number, html) {
  const known = part.querySelector(`:scope > .block[data-n="${number}"]`);
  const block = known instanceof HTMLElement ? known : document.createElement("div");
  block.innerHTML = html;
  dress(block, { unfolded: true });
  if (known) return;
  block.className = "block";
  block.dataset.n = String(number);
  part.insertBefore(block, part.querySelector(":scope > .open"));
}

/** @param {HTMLElement} part */
function openOf(part) {
  return /** @type {HTMLElement | null} */ (part.querySelector(".open"));
}

/** @param {HTMLElement} part @param {OpenBlock} open */
function putOpen(part, open) {
  openOf(part)?.remove();
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

/** @param {Element} element @param {string} text */
function append(element, text) {
  const last = element.lastChild;
  if (last instanceof Text) last.appendData(text);
  else element.append(text);
}
