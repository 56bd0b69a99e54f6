// @ts-check
/** A thin bar when the next page takes longer than 300 ms, and the time zone in a cookie, for the server's times. */

import { getCookie, setCookie } from "./preferences.js";

const PATIENCE = 300;

/** @type {number | undefined} */
let clock;

export function start() {
  keepTimeZone();
  const bar = document.querySelector(".progress-bar");
  window.addEventListener("beforeunload", () => {
    clearTimeout(clock);
    clock = setTimeout(() => bar?.classList.add("is-on"), PATIENCE);
  });
  document.addEventListener("click", (event) => {
    // A download leaves the page where it is.
    if (event.target instanceof Element && event.target.closest("a[download]")) setTimeout(() => clearTimeout(clock));
  });
  window.addEventListener("pageshow", () => {
    clearTimeout(clock);
    bar?.classList.remove("is-on");
  });
}

export function keepTimeZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && getCookie("timezone") !== zone) setCookie("timezone", zone);
}
