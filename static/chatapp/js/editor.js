// @ts-check
/** A message of the user becomes a textarea in its place. What is typed is never lost to a refusal. */

import { pick } from "./composer_face.js";
import { ComposerField } from "./composer_field.js";
import { newId } from "./drafts.js";
import { post } from "./http.js";
import { fromTemplate } from "./live_steps.js";
import { emit } from "./signals.js";
import { isOpen } from "./stream.js";
import { sentences, word } from "./words.js";

const LIMIT = 1_000_000;
const NEWS_MS = 2000;

export function start() {
  const section = document.getElementById("conversation");
  section?.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-action=edit]");
    if (!(button instanceof HTMLElement)) return;
    event.preventDefault();
    const message = messageOf(button);
    if (message) open(message, button);
  });
}

/** The button may stand beside the bubble, or under the answer. @param {HTMLElement} button @returns {HTMLElement | null} */
function messageOf(button) {
  return button.closest("[data-ref]") ?? button.closest(".turn")?.querySelector(".message[data-ref]") ?? null;
}

/** @param {HTMLElement} message @param {HTMLElement} opener */
function open(message, opener) {
  const editor = message.querySelector(".editor") ? null : new Editor(message, opener);
  editor?.open();
}

class Editor {
  #message;
  #opener;
  #form = /** @type {HTMLFormElement} */ (fromTemplate("editor"));
  #input = pick(this.#form, "textarea", HTMLTextAreaElement);
  #error = pick(this.#form, "[data-error]", HTMLElement);
  #field = new ComposerField(this.#input, LIMIT);
  #clientId = newId();

  /** @param {HTMLElement} message @param {HTMLElement} opener */
  constructor(message, opener) {
    this.#message = message;
    this.#opener = opener;
  }

  open() {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send();
    });
    this.#form.addEventListener("keydown", (event) => this.#pressed(event));
    this.#form.addEventListener("input", () => this.#field.fit());
    pick(this.#form, "[data-action=cancel-edit]", HTMLElement).addEventListener("click", () => this.#close());
    this.#input.defaultValue = this.#message.querySelector(".message-text")?.textContent ?? "";
    this.#message.classList.add("is-editing");
    this.#message.append(this.#form);
    this.#field.fit();
    this.#field.focus();
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.isComposing) return;
    if (event.key !== "Escape" && !(event.target === this.#input && this.#field.isSendKey(event))) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") this.#close();
    else if (!event.repeat) void this.#send();
  }

  async #send() {
    const text = this.#field.text;
    if (this.#field.isBlank || this.#form.hasAttribute("aria-busy")) return;
    this.#setBusy(true);
    const ref = this.#message.dataset.ref ?? "";
    const answer = await post(this.#form.action, { ref, text, client_id: this.#clientId });
    if (answer.ok) return this.#sent(answer.data?.run_id ?? "");
    this.#setBusy(false);
    this.#refuse(answer);
    if (answer.status === 401) emit("chat:signedout");
  }

  /** The conversation is read again, and this editor goes with the old message. @param {string} runId */
  #sent(runId) {
    this.#form.dataset.sent = "";
    emit("chat:rerun", { runId });
    setTimeout(() => this.#form.isConnected && emit("chat:stale"), isOpen() ? NEWS_MS : 0);
    if (matchMedia("(pointer: fine)").matches) document.getElementById("composer-text")?.focus({ preventScroll: true });
  }

  /** @param {import("./http.js").Answer} answer */
  #refuse({ error, hint }) {
    const text = error ? sentences(error, hint) : word("editor.unsent");
    this.#error.textContent = text;
    this.#error.hidden = false;
    emit("chat:refused", { error: text, hint: "" });
    this.#field.focus();
  }

  /** @param {boolean} isBusy */
  #setBusy(isBusy) {
    this.#form.toggleAttribute("aria-busy", isBusy);
    this.#input.readOnly = isBusy;
    this.#error.hidden = this.#error.hidden || isBusy;
    for (const button of this.#form.querySelectorAll("button")) button.setAttribute("aria-disabled", String(isBusy));
  }

  #close() {
    if (this.#form.hasAttribute("aria-busy")) return;
    this.#message.classList.remove("is-editing");
    this.#form.remove();
    this.#opener.focus({ preventScroll: true });
  }
}
