// @ts-check
/** Light, dark, or as the system has it. The cookie lets the server render the choice. */

import { setCookie } from "./preferences.js";

export function start() {
  const menu = document.querySelector("#user-menu");
  menu?.addEventListener("click", (event) => {
    const choice = event.target instanceof Element && event.target.closest("[data-theme-choice]");
    if (choice instanceof HTMLElement) choose(choice.dataset.themeChoice ?? "system");
  });
}

/** @param {string} theme */
function choose(theme) {
  const isOwn = theme === "light" || theme === "dark";
  if (isOwn) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  setCookie("theme", isOwn ? theme : "");
  for (const item of document.querySelectorAll("[data-theme-choice]")) {
    item.setAttribute("aria-checked", String(item instanceof HTMLElement && item.dataset.themeChoice === theme));
  }
}
