// @ts-check
/** Room below the message that was sent last: the answer grows into it, and for a screenful nothing scrolls. */

export const GAP = 16; // above such a message, and below the end of an answer

/** One turn at a time has room. @param {HTMLElement} turns @param {HTMLElement | undefined} turn */
export function openRoom(turns, turn) {
  const old = roomy(turns);
  if (old) {
    delete old.dataset.room;
    old.style.minHeight = "";
  }
  if (turn) turn.dataset.room = "";
}

/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} turns
 * @returns {number} where the scroller stands when the message is at its top
 */
export function sizeRoom(scroller, turns) {
  const { scrollTop, clientHeight } = scroller;
  const turn = roomy(turns);
  if (!turn) return scrollTop;
  turn.style.minHeight = `${clientHeight}px`; // enough for the free space below it to be its own
  const [{ top }, box] = [scroller.getBoundingClientRect(), turn.getBoundingClientRect()];
  const message = (turn.querySelector(".message") ?? turn).getBoundingClientRect();
  const below = scroller.scrollHeight - scrollTop - (box.bottom - top);
  turn.style.minHeight = `${Math.max(0, clientHeight - GAP - below + message.top - box.top)}px`;
  return scrollTop + message.top - top - GAP;
}

/** @param {HTMLElement} turns @returns {HTMLElement | null} */
function roomy(turns) {
  return turns.querySelector(":scope > [data-room]");
}
