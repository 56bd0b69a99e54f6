// @ts-check
/**
 * Menus: `[data-menu=ID]` opens the popover ID beside itself. Arrow keys move, Esc closes, focus goes back to the opener.
 * Before a menu shows, it hears `menu:open` with its opener.
 */

const GAP = 4;
const MARGIN = 8;

/** @type {WeakMap<HTMLElement, HTMLElement>} */
const openers = new WeakMap();

/** Menus may come and go with the conversation: all is heard at the document. */
export function start() {
  document.addEventListener("click", clicked);
  document.addEventListener("keydown", (event) => {
    const menu = menuOf(event);
    if (menu) pressed(event, menu);
  });
  document.addEventListener(
    "toggle",
    (event) => {
      const menu = menuOf(event);
      if (menu === event.target && menu) toggled(/** @type {ToggleEvent} */ (event), menu);
    },
    true,
  );
}

/** @param {Event} event @returns {HTMLElement | null} */
function menuOf(event) {
  return event.target instanceof Element ? event.target.closest(".menu") : null;
}

/**
 * @param {HTMLElement} menu
 * @param {HTMLElement} opener
 */
export function openMenu(menu, opener) {
  openers.get(menu)?.setAttribute("aria-expanded", "false");
  openers.set(menu, opener);
  menu.dispatchEvent(new CustomEvent("menu:open", { detail: { opener } }));
  menu.showPopover();
  opener.setAttribute("aria-expanded", "true");
  place(menu, opener.getBoundingClientRect());
  itemsOf(menu)[0]?.focus();
}

/** Who opened the menu last. @param {HTMLElement} menu */
export function openerOf(menu) {
  return openers.get(menu);
}

/** @param {MouseEvent} event */
function clicked(event) {
  if (!(event.target instanceof Element)) return;
  const opener = event.target.closest("[data-menu]");
  if (opener instanceof HTMLElement) return toggleFrom(opener, event);
  const item = event.target.closest("[role=menuitem]");
  const menu = item?.closest(".menu");
  if (menu instanceof HTMLElement) menu.hidePopover();
}

/** @param {HTMLElement} opener @param {MouseEvent} event */
function toggleFrom(opener, event) {
  const menu = document.getElementById(opener.dataset.menu ?? "");
  if (!menu) return;
  event.preventDefault();
  if (opener.getAttribute("aria-expanded") === "true") menu.hidePopover();
  else openMenu(menu, opener);
}

/**
 * Under the opener if there is room, else over it; its far edges meet where the page has more room.
 * @param {HTMLElement} menu
 * @param {DOMRect} at
 */
function place(menu, at) {
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = at.bottom + GAP;
  const top = below + height + MARGIN <= innerHeight ? below : at.top - GAP - height;
  const left = at.left + width + MARGIN <= innerWidth ? at.left : at.right - width;
  menu.style.top = `${clamp(top, innerHeight - height)}px`;
  menu.style.left = `${clamp(left, innerWidth - width)}px`;
}

/** @param {number} value @param {number} most */
function clamp(value, most) {
  return Math.max(MARGIN, Math.min(value, most - MARGIN));
}

/** @param {ToggleEvent} event @param {HTMLElement} menu */
function toggled(event, menu) {
  if (event.newState === "open") return;
  const opener = openers.get(menu);
  opener?.setAttribute("aria-expanded", "false");
  if (menu.contains(document.activeElement) || document.activeElement === document.body) opener?.focus();
}

/** @param {KeyboardEvent} event @param {HTMLElement} menu */
function pressed(event, menu) {
  if (event.key === "Tab") return menu.hidePopover();
  const items = itemsOf(menu);
  if (!items.length) return;
  const next = nextItem(event, items, items.indexOf(/** @type {HTMLElement} */ (document.activeElement)));
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement[]} items
 * @param {number} at
 */
function nextItem(event, items, at) {
  switch (event.key) {
    case "ArrowDown":
      return items[(at + 1) % items.length];
    case "ArrowUp":
      return items[(at - 1 + items.length) % items.length];
    case "Home":
      return items[0];
    case "End":
      return items[items.length - 1];
    default:
      return itemByLetter(event, items, at);
  }
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement[]} items
 * @param {number} at
 */
function itemByLetter(event, items, at) {
  if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || event.key === " ") return undefined;
  const rest = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return rest.find((item) => item.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()));
}

/** @param {HTMLElement} menu @returns {HTMLElement[]} */
function itemsOf(menu) {
  return Array.from(menu.querySelectorAll("[role^=menuitem]"));
}
