// @ts-check
/** Copies a text, also where there is no `navigator.clipboard` (plain http), and lets the button say so. */

import { say } from "./announce.js";
import { word } from "./words.js";

const SAID_MS = 2000;

/** Each button that says "Copied" at the moment, and how it goes back. @type {WeakMap<HTMLElement, {clock: number, restore: () => void}>} */
const told = new WeakMap();

/** @param {HTMLElement} button @param {string} text */
export async function copyFrom(button, text) {
  const isCopied = await copyText(text);
  tell(button, word(isCopied ? "copied" : "uncopied"), isCopied);
}

/** @param {string} text */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** @param {string} text */
function copyBySelection(text) {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "copy-field";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}

/** For two seconds, without a change of width. @param {HTMLElement} button @param {string} text @param {boolean} isCopied */
function tell(button, text, isCopied) {
  const running = told.get(button);
  clearTimeout(running?.clock);
  const restore = running?.restore ?? dressed(button, text, isCopied);
  told.set(button, { restore, clock: setTimeout(() => goBack(button, restore), SAID_MS) });
  say(text);
}

/** @param {HTMLElement} button @param {() => void} restore */
function goBack(button, restore) {
  told.delete(button);
  restore();
}

/**
 * @param {HTMLElement} button
 * @param {string} text
 * @param {boolean} isCopied
 * @returns {() => void} undoes it
 */
function dressed(button, text, isCopied) {
  const icon = button.querySelector("use");
  const href = icon?.getAttribute("href") ?? "";
  const label = button.querySelector("[data-word]") ?? (icon ? null : button);
  const before = label?.textContent ?? "";
  const title = button.title;
  button.style.minWidth = `${button.getBoundingClientRect().width}px`;
  if (isCopied) icon?.setAttribute("href", href.replace(/#.*/, "#check"));
  if (label) label.textContent = text;
  button.title = text;
  return () => {
    button.style.minWidth = "";
    icon?.setAttribute("href", href);
    if (label) label.textContent = before;
    button.title = title;
  };
}
