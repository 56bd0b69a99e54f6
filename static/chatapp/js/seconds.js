// @ts-check
/** Seconds that are counted on the page: one timer for all of them. */

import { word } from "./words.js";

const TICK_MS = 1000;

/** @typedef {{since: number, show: (seconds: number) => void}} Counter `since` in epoch ms */

/** @type {Map<Element, Counter>} */
const counters = new Map();
let clock = 0;

/**
 * Shows the whole seconds since then, until the element leaves the page or `stopCounting` is called.
 * @param {Element} element
 * @param {number} since
 * @param {(seconds: number) => void} show
 */
export function count(element, since, show) {
  counters.set(element, { since, show });
  show(secondsSince(since));
  if (!clock) clock = setInterval(tick, TICK_MS);
}

/** @param {Element} element */
export function stopCounting(element) {
  counters.delete(element);
}

/** @param {number} since */
export function secondsSince(since) {
  return Math.max(0, Math.round((Date.now() - since) / 1000));
}

/** A number is not torn from its unit. @param {number} seconds */
export function spellSeconds(seconds) {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const text = minutes ? word("live.minutes", { minutes, seconds: rest }) : word("live.seconds", { seconds });
  return text.replaceAll(" ", "\u00a0");
}

function tick() {
  for (const [element, { since, show }] of counters) {
    if (element.isConnected) show(secondsSince(since));
    else counters.delete(element);
  }
  if (counters.size) return;
  clearInterval(clock);
  clock = 0;
}
