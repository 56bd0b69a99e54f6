// @ts-check
/** Shows and hides the list of chats: beside the page on wide screens (kept in a cookie), as a drawer on narrow ones. */

import { setCookie } from "./preferences.js";

const NARROW = matchMedia("(width < 56rem)");
const EDGE = 24;
const LATCH = 0.35;

const root = document.documentElement;

export function start() {
  const sidebar = document.querySelector("#sidebar");
  if (!(sidebar instanceof HTMLElement)) return;
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest("[data-action=sidebar]")) toggleSidebar();
    if (event.target.closest("[data-action=close-drawer]")) closeDrawer();
  });
  NARROW.addEventListener("change", () => setDrawer(false));
  window.addEventListener("pageshow", () => setDrawer(false));
  watchSwipes(sidebar);
}

export function toggleSidebar() {
  if (NARROW.matches) return isDrawerOpen() ? closeDrawer() : openDrawer();
  const hide = root.dataset.sidebar !== "hidden";
  if (hide) root.dataset.sidebar = "hidden";
  else delete root.dataset.sidebar;
  setCookie("sidebar", hide ? "hidden" : "");
  tellState();
  focusOn(hide ? ".bar-drawer" : ".sidebar-hide");
}

export function isDrawerOpen() {
  return sidebarElement().classList.contains("is-open");
}

export function closeDrawer() {
  if (!isDrawerOpen()) return;
  setDrawer(false);
  focusOn(".bar-drawer");
}

function openDrawer() {
  setDrawer(true);
  focusOn(document.querySelector("#chats [aria-current]") ? "#chats [aria-current]" : "#sidebar a");
}

/** @param {string} selector */
function focusOn(selector) {
  /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus({ preventScroll: true });
}

/** @param {boolean} open */
function setDrawer(open) {
  sidebarElement().classList.toggle("is-open", open);
  document.querySelector(".scrim")?.classList.toggle("is-open", open);
  /** @type {HTMLElement} */ (document.querySelector("#main")).inert = open;
  tellState();
}

function tellState() {
  const shown = NARROW.matches ? isDrawerOpen() : root.dataset.sidebar !== "hidden";
  for (const button of document.querySelectorAll("[data-action=sidebar]")) {
    button.setAttribute("aria-expanded", String(shown));
  }
}

/** @returns {HTMLElement} */
function sidebarElement() {
  return /** @type {HTMLElement} */ (document.querySelector("#sidebar"));
}

/**
 * From the edge inwards opens, over the drawer outwards closes. The drawer follows the finger.
 * @param {HTMLElement} sidebar
 */
function watchSwipes(sidebar) {
  /** @type {{x: number, y: number, from: number, moves: boolean} | null} */
  let swipe = null;

  document.addEventListener(
    "touchstart",
    (event) => {
      swipe = null;
      if (!NARROW.matches || event.touches.length !== 1) return;
      const { clientX: x, clientY: y } = event.touches[0];
      const open = isDrawerOpen();
      if (open || inwards(x) < EDGE) swipe = { x, y, from: open ? 0 : -sidebar.offsetWidth, moves: false };
    },
    { passive: true },
  );

  document.addEventListener(
    "touchmove",
    (event) => {
      if (!swipe) return;
      const dx = event.touches[0].clientX - swipe.x;
      const dy = event.touches[0].clientY - swipe.y;
      if (!swipe.moves && Math.abs(dy) > Math.abs(dx)) return void (swipe = null);
      if (!swipe.moves && Math.abs(dx) < 8) return;
      swipe.moves = true;
      drag(sidebar, swipe.from + dx * direction());
    },
    { passive: true },
  );

  document.addEventListener("touchend", (event) => {
    if (!swipe?.moves) return;
    const dx = (event.changedTouches[0].clientX - swipe.x) * direction();
    const wasOpen = swipe.from === 0;
    swipe = null;
    letGo(sidebar);
    const far = Math.abs(dx) > sidebar.offsetWidth * LATCH;
    if (far && !wasOpen && dx > 0) openDrawer();
    if (far && wasOpen && dx < 0) closeDrawer();
  });
}

/** 1 when the drawer comes from the left, -1 when it comes from the right. */
function direction() {
  return root.dir === "rtl" ? -1 : 1;
}

/** How far a point is from the drawer's edge of the screen. @param {number} x */
function inwards(x) {
  return root.dir === "rtl" ? innerWidth - x : x;
}

/** @param {HTMLElement} sidebar @param {number} offset 0 is open */
function drag(sidebar, offset) {
  sidebar.classList.add("is-dragged");
  sidebar.style.transform = `translateX(${Math.min(0, offset) * direction()}px)`;
}

/** @param {HTMLElement} sidebar */
function letGo(sidebar) {
  sidebar.classList.remove("is-dragged");
  sidebar.style.removeProperty("transform");
}
