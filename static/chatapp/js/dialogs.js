// @ts-check
/** `[data-dialog=ID]` opens the dialog ID; a click beside it or on `[data-action=close-dialog]` closes it. */

export function start() {
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const opener = event.target.closest("[data-dialog]");
    if (opener instanceof HTMLElement) return openDialog(opener.dataset.dialog ?? "");
    if (event.target.closest("[data-action=close-dialog]") || isBeside(event)) event.target.closest("dialog")?.close();
  });
}

/** @param {string} id */
export function openDialog(id) {
  const dialog = document.getElementById(id);
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
}

/** A click on the backdrop comes as one on the dialog, outside its box. @param {MouseEvent} event */
function isBeside(event) {
  if (!(event.target instanceof HTMLDialogElement) || !event.detail) return false;
  const box = event.target.getBoundingClientRect();
  return (
    event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom
  );
}
