// @ts-check
/** Pages on the line: shows passwords, and puts the focus where something is to be put right. */

import { keepTimeZone } from "./navigation.js";

keepTimeZone();

for (const button of document.querySelectorAll(".field-eye")) {
  button.addEventListener("click", () => {
    const field = document.getElementById(button.getAttribute("aria-controls") ?? "");
    if (!(field instanceof HTMLInputElement)) return;
    const shown = field.type === "password";
    field.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", String(shown));
    field.focus();
  });
}

const wrong = document.querySelector("[aria-invalid=true]");
const empty = Array.from(document.querySelectorAll(".line-form input:not([type=hidden], [type=checkbox])")).find(
  (field) => field instanceof HTMLInputElement && !field.value,
);
const first = wrong ?? (matchMedia("(pointer: fine)").matches ? empty : undefined);
if (first instanceof HTMLElement) first.focus();
