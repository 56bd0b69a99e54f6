// @ts-check
/** One short notice at a time, for what has no place of its own. Its clock stops while it is pointed at. */

import { on } from "./signals.js";

const STAYS = 6000;
const NEXT_PAGE = "toast";

/** @type {number | undefined} */
let clock;

export function start() {
  on("chat:toast", ({ text }) => show(text));
  const left = takeLeft();
  if (left) show(left);
  for (const toast of document.querySelectorAll(".toast")) keep(/** @type {HTMLElement} */ (toast));
}

/** For the page that comes next. @param {string} text */
export function leaveToast(text) {
  try {
    sessionStorage.setItem(NEXT_PAGE, text);
  } catch {
    // Without session storage the next page says nothing.
  }
}

function takeLeft() {
  try {
    const text = sessionStorage.getItem(NEXT_PAGE);
    sessionStorage.removeItem(NEXT_PAGE);
    return text;
  } catch {
    return null;
  }
}

/** @param {string} text */
function show(text) {
  const place = document.querySelector(".toasts");
  if (!place) return;
  const toast = document.createElement("div");
  toast.className = "toast";
  const words = document.createElement("span");
  words.className = "toast-text";
  words.textContent = text;
  toast.append(words);
  place.replaceChildren(toast);
  keep(toast);
}

/** @param {HTMLElement} toast */
function keep(toast) {
  toast.addEventListener("pointerenter", stopClock);
  toast.addEventListener("pointerleave", () => startClock(toast));
  startClock(toast);
}

/** @param {HTMLElement} toast */
function startClock(toast) {
  stopClock();
  clock = setTimeout(() => toast.remove(), STAYS);
}

function stopClock() {
  clearTimeout(clock);
}
