// @ts-check
/** A title becomes an input in its place: Enter and leaving it save, Esc restores. */

import { post, threadUrl } from "./http.js";
import { emit } from "./signals.js";
import { word } from "./words.js";

const LONGEST = 80;

/**
 * @param {HTMLElement} shown what shows the title; the input takes its place
 * @param {string} thread
 * @param {string} title
 * @param {HTMLElement | undefined} opener where focus goes afterwards
 */
export function editTitle(shown, thread, title, opener) {
  const parent = shown.parentElement;
  if (!parent || parent.querySelector(".title-input")) return;
  const input = inputFor(title);
  shown.after(input);
  parent.classList.add("is-renaming");
  input.select();
  input.addEventListener("keydown", (event) => pressed(event, input));
  input.addEventListener("blur", async () => {
    const isDone = await save(input, thread, title);
    if (isDone) close(input, opener);
  });
}

/** @param {string} title */
function inputFor(title) {
  const input = document.createElement("input");
  input.className = "title-input";
  input.value = title;
  input.maxLength = LONGEST;
  input.dir = "auto";
  input.autocomplete = "off";
  input.setAttribute("aria-label", word("rename.label"));
  return input;
}

/** @param {KeyboardEvent} event @param {HTMLInputElement} input */
function pressed(event, input) {
  event.stopPropagation();
  if (event.isComposing || event.keyCode === 229) return;
  if (event.key === "Escape") input.dataset.given = "up";
  if (event.key !== "Escape" && event.key !== "Enter") return;
  event.preventDefault();
  input.blur();
}

/**
 * @param {HTMLInputElement} input
 * @param {string} thread
 * @param {string} title
 * @returns {Promise<boolean>} whether the input has done its work
 */
async function save(input, thread, title) {
  const wanted = input.value.trim().replace(/\s+/g, " ");
  if (input.dataset.given || !wanted || wanted === title) return true;
  input.readOnly = true;
  const answer = await post(threadUrl(thread, "rename/"), { title: wanted });
  input.readOnly = false;
  if (answer.ok) emit("chat:retitled", { thread, title: answer.data?.title ?? wanted });
  else refuse(input, answer.error || word("rename.failed"));
  return answer.ok;
}

/** The typed title stays, with the reason under it. @param {HTMLInputElement} input @param {string} reason */
function refuse(input, reason) {
  const id = "title-error";
  document.getElementById(id)?.remove();
  const line = document.createElement("p");
  Object.assign(line, { id, className: "title-error", textContent: reason });
  line.setAttribute("role", "alert");
  input.after(line);
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", id);
}

/** @param {HTMLInputElement} input @param {HTMLElement | undefined} opener */
function close(input, opener) {
  const parent = input.parentElement;
  const hadFocus = document.activeElement === input || document.activeElement === document.body;
  parent?.querySelector(".title-error")?.remove();
  parent?.classList.remove("is-renaming");
  input.remove();
  if (hadFocus) opener?.focus();
}
