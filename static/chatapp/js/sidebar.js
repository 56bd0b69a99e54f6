// @ts-check
/**
 * The list of chats. The server draws it; this module fetches it again when `/ws/user/` hints that something changed.
 * Rows never move while the pointer is over them, or while a title is edited: then only marks and titles follow.
 */

import { getHtml } from "./http.js";
import { openMenu } from "./menu.js";
import { emit, on } from "./signals.js";
import { watchUser } from "./user_socket.js";

const SETTLE = 150;
const LONG_PRESS = 500;

/** @type {number | undefined} */
let waiting;
/** @type {HTMLElement | null} a newer list, kept until rows may move */
let held = null;

export function start() {
  const list = listElement();
  if (!list) return;
  watchUser((frame) => {
    if (frame.type !== "snapshot" || !isShown(frame.threads ?? [])) refresh();
  });
  on("chat:sent", refresh);
  on("chat:status", refresh);
  document.querySelector("#sidebar")?.addEventListener("pointerleave", release);
  document.querySelector("#sidebar")?.addEventListener("focusout", () => setTimeout(release));
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target instanceof Element && event.target.closest("#chats")) mergeGroups();
  });
  watchLongPress();
}

/** Whether the list shows just these runs in flight. @param {{thread: string, state: string}[]} flights */
function isShown(flights) {
  const told = new Map(flights.map(({ thread, state }) => [thread, state]));
  const links = Array.from(listElement()?.querySelectorAll("a[data-thread]") ?? []);
  return links.every((link) => {
    const shown = link.getAttribute("data-state") ?? "idle";
    const state = told.get(link.getAttribute("data-thread") ?? "");
    return state ? state === shown : shown === "idle" || shown === "unread";
  });
}

/** Several hints at once are one fetch. */
function refresh() {
  clearTimeout(waiting);
  waiting = setTimeout(() => void fetchList(), SETTLE);
}

async function fetchList() {
  const url = new URL(document.body.dataset.sidebarUrl ?? "/sidebar/", location.href);
  if (document.body.dataset.thread) url.searchParams.set("thread", document.body.dataset.thread);
  const html = await getHtml(url.href);
  const fresh = html && new DOMParser().parseFromString(html, "text/html").querySelector("#chats");
  if (fresh instanceof HTMLElement) take(fresh);
}

/** @param {HTMLElement} fresh */
function take(fresh) {
  tellTitle(fresh);
  if (mayMove()) return replaceWith(fresh);
  held = fresh;
  followInPlace(fresh);
}

function release() {
  if (!held || !mayMove()) return;
  replaceWith(held);
  held = null;
}

function mayMove() {
  const sidebar = document.querySelector("#sidebar");
  const isPointedAt = matchMedia("(hover: hover)").matches && sidebar?.matches(":has(.sidebar-scroll:hover)");
  return !isPointedAt && !sidebar?.querySelector(".is-renaming, .row [aria-expanded=true]");
}

/** Rows of older pages, which this list does not hold, stay below it. @param {HTMLElement} fresh */
function replaceWith(fresh) {
  const list = listElement();
  if (!list) return;
  const focused = focusIn(list);
  keepOlder(list, fresh);
  list.replaceChildren(...fresh.childNodes);
  mergeGroups();
  /** @type {any} */ (window).htmx?.process(list);
  if (focused) find(list, focused)?.focus({ preventScroll: true });
}

/** Where the focus is: on a row's link, on its menu's button, or on "Older chats". @param {HTMLElement} list */
function focusIn(list) {
  const focused = document.activeElement;
  if (!focused || !list.contains(focused)) return null;
  const control = [".sidebar-more", ".row-menu", "a"].find((selector) => focused.closest(selector)) ?? "a";
  return { thread: focused.closest(".row")?.querySelector("a")?.dataset.thread ?? "", control };
}

/** @param {HTMLElement} list @param {{thread: string, control: string}} place @returns {HTMLElement | null | undefined} */
function find(list, { thread, control }) {
  if (control === ".sidebar-more") return list.querySelector(control);
  return rowLink(list, thread)?.closest(".row")?.querySelector(control);
}

/**
 * Everything that the reader had loaded by "Older chats", if they had.
 * @param {HTMLElement} list
 * @param {HTMLElement} fresh
 */
function keepOlder(list, fresh) {
  if (!list.dataset.pages) return;
  const oldest = Array.from(fresh.querySelectorAll(".row a")).at(-1)?.getAttribute("data-thread") ?? "";
  const border = rowLink(list, oldest)?.closest(".row");
  if (!border) return void delete list.dataset.pages;
  fresh.querySelector(".sidebar-more")?.remove();
  for (const group of list.querySelectorAll(".sidebar-group")) {
    for (const row of group.querySelectorAll(".row")) if (!isAfter(row, border)) row.remove();
    if (group.querySelector(".row")) fresh.append(group);
  }
  const more = list.querySelector(".sidebar-more");
  if (more) fresh.append(more);
}

/** @param {Element} row @param {Element} border */
function isAfter(row, border) {
  return Boolean(border.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING);
}

/** Two pages may both have rows of one month. */
function mergeGroups() {
  const list = listElement();
  if (!list) return;
  const groups = Array.from(list.querySelectorAll(".sidebar-group"));
  for (const [at, group] of groups.entries()) {
    const first = groups.slice(0, at).find((other) => other.ariaLabel === group.ariaLabel);
    if (!first) continue;
    list.dataset.pages = "more";
    first.querySelector("ul")?.append(...(group.querySelector("ul")?.children ?? []));
    group.remove();
  }
}

/** @param {HTMLElement} fresh */
function followInPlace(fresh) {
  const list = listElement();
  for (const link of fresh.querySelectorAll(".row a")) {
    const shown = list && rowLink(list, link.getAttribute("data-thread") ?? "");
    if (!shown || shown.closest(".is-renaming") || shown.innerHTML === link.innerHTML) continue;
    shown.setAttribute("data-state", link.getAttribute("data-state") ?? "idle");
    shown.setAttribute("title", link.getAttribute("title") ?? "");
    shown.innerHTML = link.innerHTML;
  }
}

/** The open chat may have got its title just now. @param {HTMLElement} fresh */
function tellTitle(fresh) {
  const thread = document.body.dataset.thread;
  const title = thread && rowLink(fresh, thread)?.getAttribute("title");
  if (title && title !== document.querySelector("#bar-title")?.textContent) emit("chat:retitled", { thread, title });
}

/** On touch a long press on a row opens its menu, when the finger is lifted: lifting it would close one that is open. */
function watchLongPress() {
  const list = document.querySelector(".sidebar-scroll");
  /** @type {number | undefined} */
  let clock;
  let isLong = false;

  /** @param {Event} event */
  function lifted(event) {
    clearTimeout(clock);
    const button = isLong && rowButton(event);
    if (button) setTimeout(() => openMenu(/** @type {HTMLElement} */ (document.querySelector("#row-menu")), button));
  }

  list?.addEventListener("pointerdown", (event) => {
    isLong = false;
    clearTimeout(clock);
    if (/** @type {PointerEvent} */ (event).pointerType === "touch") clock = setTimeout(() => (isLong = true), LONG_PRESS);
  });
  list?.addEventListener("pointermove", (event) => {
    if (isFar(/** @type {PointerEvent} */ (event))) clearTimeout(clock);
  });
  list?.addEventListener("pointerup", lifted);
  list?.addEventListener("pointercancel", lifted);
  for (const own of ["click", "contextmenu"]) {
    list?.addEventListener(own, (event) => isLong && rowButton(event) && event.preventDefault(), true);
  }
}

/** @param {PointerEvent} event */
function isFar(event) {
  return Math.abs(event.movementX) + Math.abs(event.movementY) > 6;
}

/** @param {Event} event @returns {HTMLElement | null} */
function rowButton(event) {
  const row = event.target instanceof Element && event.target.closest(".row");
  return row ? row.querySelector(".row-menu") : null;
}

/** @returns {HTMLElement | null} */
function listElement() {
  return document.querySelector("#chats");
}

/** @param {ParentNode} list @param {string} thread @returns {HTMLElement | null} */
function rowLink(list, thread) {
  return list.querySelector(`a[data-thread="${CSS.escape(thread)}"]`);
}
