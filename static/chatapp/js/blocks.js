// @ts-check
/** What code blocks and tables offer: Wrap, Copy, and "Show all" where they are long. The renderer knows no words. */

import { number, word } from "./words.js";

/**
 * Adds the buttons to every block below, once.
 * @param {ParentNode} root
 * @param {{unfolded?: boolean}} [options] unfolded: it was seen being written, and must not shrink now
 */
export function dress(root, { unfolded = false } = {}) {
  for (const code of root.querySelectorAll(".code:not(.is-dressed)")) {
    if (code instanceof HTMLElement) dressCode(code);
  }
  for (const long of root.querySelectorAll(".long:not(.is-foldable)")) {
    if (long instanceof HTMLElement) makeFoldable(long, unfolded);
  }
}

/** @param {HTMLElement} code */
function dressCode(code) {
  code.classList.add("is-dressed");
  const tools = document.createElement("span");
  tools.className = "code-tools";
  const wrap = button("wrap", word("code.wrap"));
  wrap.setAttribute("aria-pressed", "false");
  const copy = button("copy", word("copy"));
  copy.setAttribute("aria-label", word("code.copy"));
  tools.append(wrap, copy);
  code.querySelector(".code-head")?.append(tools);
}

/** @param {HTMLElement} long @param {boolean} unfolded */
function makeFoldable(long, unfolded) {
  long.classList.add("is-foldable");
  if (unfolded) return long.classList.add("is-unfolded");
  const { lines, rows } = long.dataset;
  const text = lines ? word("code.all", { lines: number(Number(lines)) }) : word("table.all", { rows: number(Number(rows)) });
  const more = button("unfold", text);
  more.classList.add("unfold");
  long.after(more);
}

/** @param {string} action @param {string} text */
function button(action, text) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "block-button";
  element.dataset.action = action;
  element.textContent = text;
  return element;
}

/** @param {HTMLElement} button */
export function toggleWrap(button) {
  const isWrapped = button.closest(".code")?.classList.toggle("is-wrapped") ?? false;
  button.setAttribute("aria-pressed", String(isWrapped));
}

/** A long block, message, argument or result. The focus goes on into what was hidden. @param {HTMLElement} button */
export function unfold(button) {
  const folded = button.closest("[data-folded]") ?? button.previousElementSibling;
  if (!(folded instanceof HTMLElement)) return;
  folded.removeAttribute("data-folded");
  if (folded.matches(".long")) folded.classList.add("is-unfolded");
  button.remove();
  const next = folded.matches("[tabindex]") ? folded : (folded.querySelector("[tabindex]") ?? folded.closest(".message"));
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

/**
 * What was wrapped or unfolded stays so when its turn is drawn again.
 * @param {Element} old
 * @param {Element} fresh dressed
 */
export function keepBlocks(old, fresh) {
  for (const selector of [".code", ".table", ".bubble", ".step-field-body"]) {
    const [before, after] = [old.querySelectorAll(selector), fresh.querySelectorAll(selector)];
    if (before.length === after.length) for (const [n, block] of before.entries()) keepBlock(block, after[n]);
  }
}

/** @param {Element} old @param {Element} fresh */
function keepBlock(old, fresh) {
  const wrap = fresh.querySelector("[data-action=wrap]");
  if (old.classList.contains("is-wrapped") && wrap instanceof HTMLElement) toggleWrap(wrap);
  if (old.classList.contains("is-unfolded")) {
    fresh.classList.add("is-unfolded");
    if (fresh.nextElementSibling?.matches(".unfold")) fresh.nextElementSibling.remove();
  }
  if (fresh.hasAttribute("data-folded") && !old.hasAttribute("data-folded")) {
    fresh.removeAttribute("data-folded");
    fresh.querySelector("[data-action=unfold]")?.remove();
  }
}
