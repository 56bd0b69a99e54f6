// @ts-check
/** The keys of the whole page, and how they are written on this machine. */

import { openDialog } from "./dialogs.js";
import { closeDrawer, isDrawerOpen, toggleSidebar } from "./drawer.js";
import { recall, remember } from "./preferences.js";
import { emit } from "./signals.js";
import { word } from "./words.js";

const IS_MAC = /mac|iphone|ipad/i.test(navigator.platform);
const SINGLE_KEYS = "single-keys";
const ANSWER_COPY = "#turns .actions [data-action=copy]";
const STEPS = "#turns details.part";

export function start() {
  document.addEventListener("keydown", pressed);
  for (const element of document.querySelectorAll("[data-keys]")) {
    const between = IS_MAC || element.localName === "kbd" ? " " : " + ";
    if (element instanceof HTMLElement) element.textContent = spell(element.dataset.keys ?? "", between);
  }
  const choice = document.querySelector("#single-keys");
  if (!(choice instanceof HTMLInputElement)) return;
  choice.checked = recall(SINGLE_KEYS) !== "off";
  choice.addEventListener("change", () => remember(SINGLE_KEYS, choice.checked ? null : "off"));
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  if (event.defaultPrevented || event.isComposing) return;
  const act = actionOf(event);
  if (!act) return;
  event.preventDefault();
  act();
}

/** @param {KeyboardEvent} event @returns {(() => void) | undefined} */
function actionOf(event) {
  if (event.key === "Escape") return onEscape();
  // A menu or dialog that is open has the keyboard to itself.
  if (document.querySelector(":popover-open, dialog[open]")) return undefined;
  if (isMod(event)) return event.altKey ? undefined : modAction(event);
  if (event.altKey) return isInText(event) ? undefined : altAction(event);
  if (event.key === "ArrowUp") return isInEmptyComposer(event) ? editLast : undefined;
  return isInText(event) || recall(SINGLE_KEYS) === "off" ? undefined : singleAction(event);
}

/** The innermost thing closes. Menus and dialogs do so by themselves. */
function onEscape() {
  if (document.querySelector(":popover-open, dialog[open]")) return undefined;
  if (isDrawerOpen()) return closeDrawer;
  const stop = document.querySelector("[data-action=stop]:not([hidden], :disabled)");
  return stop instanceof HTMLElement ? () => stop.click() : undefined;
}

/** @param {KeyboardEvent} event */
function modAction(event) {
  if (!event.shiftKey) return event.key === "\\" ? toggleSidebar : undefined;
  switch (event.key.toLowerCase()) {
    case "o":
      return newChat;
    case "c":
      return document.querySelector(ANSWER_COPY) ? copyLast : undefined;
    case "e":
      return document.querySelector(STEPS) ? toggleSteps : undefined;
    default:
      return undefined;
  }
}

/** @param {KeyboardEvent} event */
function altAction(event) {
  const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
  if (!step) return undefined;
  return event.shiftKey ? () => moveToTurn(step) : () => moveToChat(step);
}

/** @param {KeyboardEvent} event */
function singleAction(event) {
  if (event.key === "/") return toComposer;
  return event.key === "?" ? () => openDialog("keyboard-dialog") : undefined;
}

function newChat() {
  location.assign(document.body.dataset.homeUrl ?? "/");
}

function toComposer() {
  /** @type {HTMLElement | null} */ (document.querySelector("#composer-text"))?.focus();
}

function editLast() {
  const edit = lastOf("#turns .message")?.querySelector("[data-action=edit]");
  if (edit instanceof HTMLElement) edit.click();
}

function copyLast() {
  lastOf(ANSWER_COPY)?.click();
  emit("chat:toast", { text: word("copied.answer") });
}

function toggleSteps() {
  const steps = Array.from(document.querySelectorAll(STEPS));
  const open = steps.some((step) => !step.hasAttribute("open"));
  for (const step of steps) step.toggleAttribute("open", open);
}

/** @param {number} step */
function moveToChat(step) {
  const links = Array.from(document.querySelectorAll("#chats .row a"));
  const at = links.findIndex((link) => link.hasAttribute("aria-current"));
  const next = links[at < 0 ? (step > 0 ? 0 : -1) : at + step];
  if (next instanceof HTMLAnchorElement) location.assign(next.href);
}

/** From the turn that has the focus, else from the last one that begins above the middle. @param {number} step */
function moveToTurn(step) {
  const turns = Array.from(document.querySelectorAll("#turns .turn"));
  const focused = turns.findIndex((turn) => turn.contains(document.activeElement));
  const seen = turns.findLastIndex((turn) => turn.getBoundingClientRect().top < innerHeight / 2);
  const next = turns[(focused < 0 ? seen : focused) + step];
  if (!(next instanceof HTMLElement)) return;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "start" });
}

/** @param {string} selector */
function lastOf(selector) {
  const found = Array.from(document.querySelectorAll(selector)).at(-1);
  return found instanceof HTMLElement ? found : undefined;
}

/** @param {KeyboardEvent} event */
function isMod(event) {
  return IS_MAC ? event.metaKey : event.ctrlKey;
}

/** @param {KeyboardEvent} event */
function isInText(event) {
  return event.target instanceof Element && Boolean(event.target.closest("input, textarea, select, [contenteditable]"));
}

/** @param {KeyboardEvent} event */
function isInEmptyComposer(event) {
  const field = event.target;
  return field instanceof HTMLTextAreaElement && field.id === "composer-text" && !field.value && !event.shiftKey;
}

/** "Mod+Shift+O" as ⌘ ⇧ O or Ctrl + Shift + O; several stand apart by a space. @param {string} keys @param {string} between */
function spell(keys, between) {
  const names = IS_MAC ? { Mod: "⌘", Shift: "⇧", Alt: "⌥" } : { Mod: "Ctrl", Shift: "Shift", Alt: "Alt" };
  const spelled = keys.split(" ").map((one) =>
    one
      .split("+")
      .map((key) => names[/** @type {keyof typeof names} */ (key)] ?? key)
      .join(between),
  );
  return spelled.join(" · ");
}
