// @ts-check
/** The title of the page: the chat's, led by what is going on in it. */

import { on } from "./signals.js";
import { word } from "./words.js";

export function start() {
  const bar = document.querySelector("#bar-title");
  const form = document.querySelector("#composer");
  if (!bar || !(form instanceof HTMLElement)) return;
  let status = form.dataset.status ?? "idle";
  const show = () => (document.title = titleFor(status, bar.textContent ?? ""));
  on("chat:status", (detail) => {
    status = detail.status;
    show();
  });
  on("chat:retitled", () => setTimeout(show));
  show();
}

/** @param {string} status @param {string} title */
function titleFor(status, title) {
  const whole = `${title} · ${document.body.dataset.site ?? ""}`;
  const leads = status === "running" || status === "waiting";
  return leads ? word(`title.${status}`, { title: whole }) : whole;
}
