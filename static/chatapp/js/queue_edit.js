// @ts-check
/** The text of a waiting message becomes a field in its place: Enter and leaving it save, Esc restores. */

import { word } from "./words.js";

/**
 * @param {HTMLElement} row
 * @param {string} text
 * @param {(changed: string) => Promise<boolean>} save whether the server took it; if not, the field stays
 */
export function editQueued(row, text, save) {
  const shown = /** @type {HTMLElement} */ (row.querySelector(".queue-text"));
  if (row.querySelector(".queue-field")) return;
  const field = fieldFor(text);
  shown.hidden = true;
  shown.after(field);
  field.focus();
  field.setSelectionRange(text.length, text.length);
  field.addEventListener("keydown", (event) => pressed(event, field));
  field.addEventListener("blur", async () => {
    const wanted = field.value;
    const isSame = field.dataset.given || wanted === text || !wanted.trim();
    if (!isSame && !(await save(wanted))) return;
    if (!isSame) shown.textContent = wanted;
    field.remove();
    shown.hidden = false;
  });
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

/** @param {KeyboardEvent} event @param {HTMLTextAreaElement} field */
function pressed(event, field) {
  event.stopPropagation();
  if (event.isComposing || event.keyCode === 229) return;
  if (event.key === "Escape") field.dataset.given = "up";
  const isDone = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey);
  if (!isDone) return;
  event.preventDefault();
  field.blur();
}
