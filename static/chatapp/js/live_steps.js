// @ts-check
/** The rows of an answer while it is being written: thoughts, calls that are prepared, tools that run. */

import { count, secondsSince, spellSeconds, stopCounting } from "./seconds.js";
import { number, word } from "./words.js";

/** A part from `template#tpl-NAME`. @param {string} name @returns {HTMLElement} */
export function fromTemplate(name) {
  const template = document.getElementById(`tpl-${name}`);
  const part = template instanceof HTMLTemplateElement ? template.content.firstElementChild : null;
  if (!part) throw new Error(`The page has no template tpl-${name}`);
  return /** @type {HTMLElement} */ (part.cloneNode(true));
}

/** When the thoughts of this page began; those that began before it was read are not here. @type {WeakMap<Element, number>} */
const beginnings = new WeakMap();

/** @param {number} index */
export function newReasoning(index) {
  const part = fromTemplate("reasoning");
  part.dataset.index = String(index);
  beginnings.set(part, Date.now());
  const label = labelOf(part);
  count(label, Date.now(), (seconds) => {
    label.textContent = seconds ? word("live.thinking.for", { time: spellSeconds(seconds) }) : word("live.thinking");
  });
  return part;
}

/** @param {HTMLElement} part @param {string} text */
export function writeReasoning(part, text) {
  const place = part.querySelector("[data-text]") ?? part;
  if (place.lastChild instanceof Text) place.lastChild.appendData(text);
  else place.append(text);
}

/** "Thought for 4 s". @param {HTMLElement} part */
export function endReasoning(part) {
  const label = labelOf(part);
  const since = beginnings.get(part);
  stopCounting(label);
  const seconds = since === undefined ? 0 : Math.max(1, secondsSince(since));
  label.textContent = seconds ? word("live.thought.for", { time: spellSeconds(seconds) }) : word("live.thought");
}

/** @param {{name: string, slot: number}} frame */
export function newPreparing({ name, slot }) {
  const part = fromTemplate("preparing");
  part.dataset.slot = String(slot);
  const place = part.querySelector("[data-name]");
  if (place) place.textContent = name;
  return part;
}

/** @param {string} html the row as the server draws it */
export function newStep(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return /** @type {HTMLElement | null} */ (template.content.firstElementChild);
}

/** What is open in the old row is open in the new one. @param {HTMLElement} old @param {HTMLElement} fresh */
export function replaceStep(old, fresh) {
  const hadFocus = old.contains(document.activeElement);
  if (old instanceof HTMLDetailsElement && old.open) fresh.setAttribute("open", "");
  old.replaceWith(fresh);
  if (hadFocus) fresh.querySelector("summary")?.focus({ preventScroll: true });
}

/**
 * Counts the seconds of a running tool. Where nobody knows since when it runs, there is nothing to count.
 * @param {HTMLElement} step
 * @param {number} [since] epoch ms
 */
export function countSeconds(step, since) {
  const place = step.querySelector("[data-seconds]");
  if (!(place instanceof HTMLElement)) return;
  const start = since ?? Date.parse(place.dataset.since ?? "");
  if (Number.isNaN(start)) return;
  count(place, start, (seconds) => {
    place.textContent = seconds ? spellSeconds(seconds) : "";
  });
}

/** @param {HTMLElement} step @param {{done: number, total: number | null, note: string | null}} progress */
export function showProgress(step, { done, total, note }) {
  const place = step.querySelector("[data-progress]");
  const bar = place?.querySelector("progress");
  const text = place?.querySelector("[data-note]");
  if (!(place instanceof HTMLElement)) return;
  place.hidden = false;
  if (bar) {
    bar.max = total || 1;
    if (total) bar.value = done;
    else bar.removeAttribute("value");
  }
  if (text) text.textContent = [spellProgress(done, total), note].filter(Boolean).join(" · ");
}

/** @param {number} done @param {number | null} total */
function spellProgress(done, total) {
  return total ? word("live.progress", { done: number(done), total: number(total) }) : number(done);
}

/** @param {HTMLElement} part @returns {HTMLElement} */
function labelOf(part) {
  return part.querySelector("[data-label]") ?? part;
}
