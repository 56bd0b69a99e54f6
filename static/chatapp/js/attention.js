// @ts-check
/** When a person comes back to this page, from another tab or another window. */

/** @param {() => void} callback */
export function onAttention(callback) {
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && callback());
  window.addEventListener("focus", callback);
}
