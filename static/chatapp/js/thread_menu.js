// @ts-check
/** What the ⋯ menus of a chat do: rename, export, delete. One menu serves all rows of the list, another the bar. */

import { openDialog } from "./dialogs.js";
import { forgetDraft } from "./drafts.js";
import { post, threadUrl } from "./http.js";
import { openerOf } from "./menu.js";
import { editTitle } from "./rename.js";
import { emit, on } from "./signals.js";
import { leaveToast } from "./toast.js";
import { word } from "./words.js";

const DIALOG = "delete-dialog";

export function start() {
  const rowMenu = document.querySelector("#row-menu");
  rowMenu?.addEventListener("menu:open", (event) => {
    const { opener } = /** @type {CustomEvent} */ (event).detail;
    aimAt(/** @type {HTMLElement} */ (rowMenu), opener);
  });
  for (const menu of document.querySelectorAll("#row-menu, #thread-menu")) {
    if (menu instanceof HTMLElement) menu.addEventListener("click", (event) => chosen(event, menu));
  }
  document.getElementById(DIALOG)?.addEventListener("submit", (event) => void confirmed(event));
  on("chat:retitled", ({ thread, title }) => retitle(thread, title));
}

/** The row's chat becomes the menu's. @param {HTMLElement} menu @param {HTMLElement} opener */
function aimAt(menu, opener) {
  const thread = opener.closest(".row")?.querySelector("a")?.dataset.thread ?? "";
  menu.dataset.thread = thread;
  for (const link of menu.querySelectorAll("a[data-export]")) {
    if (link instanceof HTMLAnchorElement) link.href = threadUrl(thread, link.dataset.export);
  }
}

/** @param {MouseEvent} event @param {HTMLElement} menu */
function chosen(event, menu) {
  const item = event.target instanceof Element && event.target.closest("[data-action]");
  const thread = menu.dataset.thread ?? "";
  if (!(item instanceof HTMLElement)) return;
  if (item.dataset.action === "rename") setTimeout(() => rename(menu, thread));
  if (item.dataset.action === "delete") setTimeout(() => ask(thread));
}

/** In the row if the menu was the row's, in the bar otherwise. @param {HTMLElement} menu @param {string} thread */
function rename(menu, thread) {
  const shown = menu.id === "thread-menu" ? document.querySelector("#bar-title") : rowLink(thread);
  if (shown instanceof HTMLElement) editTitle(shown, thread, titleOf(thread), openerOf(menu));
}

/** @param {string} thread */
function ask(thread) {
  const form = document.querySelector(`#${DIALOG} form`);
  if (!(form instanceof HTMLFormElement)) return;
  form.action = threadUrl(thread, "delete/");
  form.dataset.thread = thread;
  const question = (form.dataset.question ?? "").replace("{title}", titleOf(thread));
  /** @type {HTMLElement} */ (document.querySelector("#delete-title")).textContent = question;
  showError(form, "");
  openDialog(DIALOG);
}

/** @param {Event} event */
async function confirmed(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const thread = form.dataset.thread ?? "";
  const text = word("delete.done", { title: titleOf(thread) });
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
  button.disabled = true;
  const answer = await post(form.action);
  button.disabled = false;
  if (!answer.ok && answer.status !== 404) return showError(form, answer.error || word("delete.failed"));
  form.closest("dialog")?.close();
  gone(thread, text);
}

/** @param {string} thread @param {string} text */
function gone(thread, text) {
  if (thread === document.body.dataset.thread) {
    emit("chat:deleted", { byUser: true });
    leaveToast(text);
    return location.assign(document.body.dataset.homeUrl ?? "/");
  }
  forgetDraft(document.body.dataset.user ?? "", thread);
  const row = rowLink(thread)?.closest(".row");
  const rows = Array.from(document.querySelectorAll("#chats .row"));
  const at = row ? rows.indexOf(row) : -1;
  const next = rows[at + 1] ?? rows[at - 1];
  row?.remove();
  /** @type {HTMLElement | null | undefined} */ (next?.querySelector("a"))?.focus();
  emit("chat:toast", { text });
}

/** @param {HTMLFormElement} form @param {string} text */
function showError(form, text) {
  const line = /** @type {HTMLElement} */ (form.querySelector(".dialog-error"));
  line.hidden = !text;
  line.textContent = text;
}

/** @param {string} thread @param {string} title */
function retitle(thread, title) {
  const link = rowLink(thread);
  const shown = link?.querySelector(".row-title");
  if (link && shown) {
    link.title = title;
    shown.textContent = title;
  }
  const bar = document.querySelector("#bar-title");
  if (thread !== document.body.dataset.thread || !(bar instanceof HTMLElement)) return;
  bar.textContent = title;
  bar.title = title;
}

/** @param {string} thread */
function titleOf(thread) {
  if (thread === document.body.dataset.thread) return document.querySelector("#bar-title")?.textContent ?? "";
  return rowLink(thread)?.title ?? "";
}

/** @param {string} thread @returns {HTMLAnchorElement | null} */
function rowLink(thread) {
  return document.querySelector(`#chats a[data-thread="${CSS.escape(thread)}"]`);
}
