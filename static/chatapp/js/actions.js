// @ts-check
/** The buttons of the conversation: copy, regenerate, and what can be done with an answer that broke off. */

import { toggleWrap, unfold } from "./blocks.js";
import { copyFrom } from "./copy.js";
import { newId } from "./drafts.js";
import { post, threadUrl } from "./http.js";
import { refuseAt } from "./refusal.js";
import { emit } from "./signals.js";
import { isOpen } from "./stream.js";

const NEWS_MS = 2000;

/** @type {Record<string, (button: HTMLElement) => void>} */
const ACTIONS = {
  copy: (button) => void copyFrom(button, sourceOf(button)),
  wrap: toggleWrap,
  unfold,
  regenerate: (button) => void regenerate(button),
  resume: (button) => void recover(button, "resume"),
  retry: (button) => void recover(button, "resume"),
  keep: (button) => void recover(button, "keep"),
  discard: (button) => void recover(button, "discard"),
  "cancel-discard": stopAsking,
};

export function start() {
  const section = document.getElementById("conversation");
  if (!section || !document.body.dataset.thread) return;
  section.addEventListener("click", clicked);
  section.addEventListener("submit", (event) => event.preventDefault());
}

/** @param {MouseEvent} event */
function clicked(event) {
  const button = event.target instanceof Element && event.target.closest("[data-action]");
  const act = button instanceof HTMLElement && ACTIONS[button.dataset.action ?? ""];
  if (!(button instanceof HTMLElement) || !act) return;
  event.preventDefault();
  if (button.getAttribute("aria-disabled") !== "true") act(button);
}

/** What stands nearest to the button, exactly as it was written. @param {HTMLElement} button */
function sourceOf(button) {
  const code = button.closest(".code")?.querySelector("pre");
  if (code) return (code.textContent ?? "").replace(/\n$/, "");
  for (let place = button.parentElement; place; place = place.parentElement) {
    const source = place.querySelector("[data-source]");
    if (source) return source instanceof HTMLTemplateElement ? (source.content.textContent ?? "") : (source.textContent ?? "");
    if (place.matches(".turn")) break;
  }
  return "";
}

/** @param {HTMLElement} button */
async function regenerate(button) {
  const answer = await send(button, "regenerate/", { client_id: newId() });
  if (answer?.ok) emit("chat:rerun", { runId: answer.data?.run_id ?? "" });
}

/** @param {HTMLElement} button @param {string} action */
async function recover(button, action) {
  const answer = await send(button, "recover/", { action });
  if (answer?.ok && answer.data?.text) emit("chat:restore", { text: answer.data.text });
}

/**
 * One at a time. The buttons come alive again only after a refusal: success draws the turn anew.
 * @param {HTMLElement} button
 * @param {string} path
 * @param {Record<string, string>} fields
 */
async function send(button, path, fields) {
  const turn = button.closest(".turn") ?? button.parentElement;
  setBusy(turn, true);
  const answer = await post(threadUrl(document.body.dataset.thread ?? "", path), fields);
  if (answer.ok) {
    setTimeout(() => button.isConnected && emit("chat:stale"), isOpen() ? NEWS_MS : 0);
    if (matchMedia("(pointer: fine)").matches) document.getElementById("composer-text")?.focus({ preventScroll: true });
  } else {
    setBusy(turn, false);
    refuseAt(button.closest(".panel, .actions"), answer);
  }
  return answer;
}

/** @param {Element | null} turn @param {boolean} isBusy */
function setBusy(turn, isBusy) {
  for (const button of turn?.querySelectorAll("[data-action]:not([data-action=copy])") ?? []) {
    if (isBusy) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
}

/** The question stands in place of the button that asked it. @param {HTMLElement} button */
function stopAsking(button) {
  const question = button.closest("details");
  question?.removeAttribute("open");
  question?.querySelector("summary")?.focus({ preventScroll: true });
}
