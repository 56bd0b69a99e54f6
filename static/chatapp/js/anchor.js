// @ts-check
/** Keeps what a reader sees in its place while the page around it, or it itself, is drawn anew. */

const MARKED = ":scope > .turn, .part[id], .part[data-index], .message";

/**
 * Remembers one thing in sight: the last one for who follows the end, else the first.
 * @param {HTMLElement} scroller
 * @param {HTMLElement} turns
 * @param {boolean} isLast
 * @returns {() => number} by how much it has moved since
 */
export function anchorIn(scroller, turns, isLast) {
  const { top, bottom } = scroller.getBoundingClientRect();
  const seen = Array.from(turns.querySelectorAll(MARKED)).filter((element) => {
    const box = element.getBoundingClientRect();
    return box.height > 0 && box.top < bottom && box.bottom > top;
  });
  const first = seen.find((element) => topOf(element) >= top) ?? seen.at(-1);
  const element = isLast ? seen.at(-1) : first;
  const find = element && finder(element);
  if (!find) return () => 0;
  const before = topOf(element);
  return () => {
    const now = find();
    return now ? topOf(now) - before : 0;
  };
}

/** @param {Element} element */
function topOf(element) {
  return element.getBoundingClientRect().top;
}

/** Finds the same element again, even when it was drawn anew. @param {Element} element @returns {(() => Element | null) | null} */
function finder(element) {
  const turn = element.closest(".turn");
  if (!turn?.id) return null;
  if (turn === element) return () => document.getElementById(turn.id);
  const selector = selectorOf(element);
  return () => document.getElementById(turn.id)?.querySelector(selector) ?? null;
}

/** Within its turn: the ids of calls, and of their steps, may come again in another run. @param {Element} element */
function selectorOf(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const index = element.getAttribute("data-index");
  return index === null ? ".message" : `.part[data-index="${CSS.escape(index)}"]`;
}
