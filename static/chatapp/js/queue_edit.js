// @ts-check
/** The text of a waiting message becomes a field in its place: Enter and leaving it save, Esc restores. */

import { emit } from "./signals.js";
import { word } from "./words.js";

/** @type {WeakMap<Element, FieldOfQueue>} by row */
const fields = new WeakMap();

/**
 * @param {HTMLElement} row
 * @param {string} text
 * @param {(changed: string) => Promise<boolean>} save whether the server took it; if not, the field stays
 */
export function editQueued(row, text, save) {
  if (fields.has(row)) return;
  const field = new FieldOfQueue(row, text, save);
  fields.set(row, field);
  field.open();
}

/** The message's turn has come, or it was withdrawn elsewhere: what was typed over it goes into the box. @param {Element} row */
export function leaveQueue(row) {
  fields.get(row)?.rescue();
}

class FieldOfQueue {
  #row;
  #shown;
  #text;
  #save;
  #field;
  #isSaving = false;
  #isClosed = false;

  /** @param {HTMLElement} row @param {string} text @param {(changed: string) => Promise<boolean>} save */
  constructor(row, text, save) {
    this.#row = row;
    this.#shown = /** @type {HTMLElement} */ (row.querySelector(".queue-text"));
    this.#text = text;
    this.#save = save;
    this.#field = fieldFor(text);
  }

  open() {
    this.#shown.hidden = true;
    this.#shown.after(this.#field);
    this.#field.focus();
    this.#field.setSelectionRange(this.#text.length, this.#text.length);
    this.#field.addEventListener("keydown", (event) => this.#pressed(event));
    this.#field.addEventListener("blur", () => void this.#finish());
  }

  rescue() {
    if (this.#isClosed || this.#isSaving) return;
    this.#isClosed = true;
    if (this.#isChanged()) emit("chat:restore", { text: this.#field.value });
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    event.stopPropagation();
    if (event.isComposing || event.keyCode === 229) return;
    const isEscape = event.key === "Escape";
    if (!isEscape && (event.key !== "Enter" || event.shiftKey)) return;
    event.preventDefault();
    if (isEscape) this.#close(true);
    else void this.#finish(true);
  }

  /** @param {boolean} [byKey] */
  async #finish(byKey = false) {
    if (this.#isClosed || this.#isSaving) return;
    if (!this.#isChanged()) return this.#close(byKey);
    this.#isSaving = true;
    const wanted = this.#field.value;
    const isTaken = await this.#save(wanted);
    this.#isSaving = false;
    if (isTaken) this.#shown.textContent = wanted;
    if (isTaken) this.#close(byKey);
    else if (!this.#row.isConnected) this.rescue();
  }

  #isChanged() {
    return this.#field.value !== this.#text && Boolean(this.#field.value.trim());
  }

  /** The focus goes back to the text where a key has closed the field, not where a click elsewhere did. @param {boolean} byKey */
  #close(byKey) {
    this.#isClosed = true;
    fields.delete(this.#row);
    this.#field.remove();
    this.#shown.hidden = false;
    if (byKey) this.#shown.focus({ preventScroll: true });
  }
}

/** @param {string} text */
function fieldFor(text) {
  const field = document.createElement("textarea");
  field.className = "queue-field";
  field.value = text;
  field.rows = 1;
  field.dir = "auto";
  field.setAttribute("aria-label", word("queue.change"));
  return field;
}
