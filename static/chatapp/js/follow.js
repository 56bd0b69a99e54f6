// @ts-check
/**
 * Where the conversation stands: it follows an answer at its end, holds still for a reader elsewhere, and shows the
 * way back to the end. Only the reader lets go and takes hold, never a scroll of the page's own.
 */

import { anchorIn } from "./anchor.js";
import { GAP, openRoom, sizeRoom } from "./room.js";
import { on } from "./signals.js";
import { word } from "./words.js";

const NEAR = 80;
const FAR = 200;
const WASH_MS = 2000;
const GLIDE_MS = 1000;
const AWAY_KEYS = ["PageUp", "Home", "ArrowUp"];

/** @type {Follower | undefined} */
let follower;

/** Changes the end of the conversation. Who was there stays there. @param {() => void} change */
export function write(change) {
  if (follower) follower.write(change);
  else change();
}

/** Changes anything in the conversation. What the reader has before their eyes stays in its place. @param {() => void} change */
export function rewrite(change) {
  if (follower) follower.rewrite(change);
  else change();
}

export function start() {
  const scroller = document.getElementById("conversation");
  const turns = document.getElementById("turns");
  if (!scroller || !turns) return;
  follower = new Follower(scroller, turns);
  follower.start();
}

class Follower {
  #scroller;
  #turns;
  #pill = newPill();
  #isHeld = true;
  #isNear = true;
  #isGliding = false;
  #glide = 0;
  #top = 0;
  /** The run whose turn gets room as soon as it is here. */
  #awaited = "";

  /** @param {HTMLElement} scroller @param {HTMLElement} turns */
  constructor(scroller, turns) {
    this.#scroller = scroller;
    this.#turns = turns;
  }

  start() {
    (document.querySelector(".dock") ?? this.#scroller).prepend(this.#pill);
    this.#pill.addEventListener("click", () => this.#jump());
    this.#listenToReader();
    on("chat:sending", () => this.#giveRoom(this.#lastTurn));
    on("chat:rerun", ({ runId }) => (this.#awaited = runId));
    on("chat:status", ({ status }) => this.#showStatus(status));
    window.addEventListener("hashchange", () => this.#goToTarget());
    new ResizeObserver(() => this.#resized()).observe(this.#scroller);
    this.#showStatus(this.#scroller.dataset.status ?? "");
    if (!this.#goToTarget()) this.#toEnd();
    void document.fonts.ready.then(() => this.#resized());
  }

  /** @param {() => void} change */
  write(change) {
    const follows = this.#follows;
    change();
    this.#settle(follows);
  }

  /** @param {() => void} change */
  rewrite(change) {
    const follows = this.#follows;
    const anchor = anchorIn(this.#scroller, this.#turns, follows);
    this.#scroller.style.overflowAnchor = "none";
    change();
    const moved = anchor();
    if (moved) this.#moveTo(this.#scroller.scrollTop + moved);
    this.#settle(follows);
    requestAnimationFrame(() => (this.#scroller.style.overflowAnchor = ""));
  }

  /** @param {boolean} follows */
  #settle(follows) {
    const awaited = this.#awaited && document.getElementById(`turn-${this.#awaited}`);
    if (awaited) this.#giveRoom(awaited);
    else if (follows && !this.#isGliding) this.#toEnd();
    this.#showPill();
  }

  /** On its way to the bar a message has its answer behind it. */
  get #follows() {
    return this.#isHeld && (this.#isGliding || this.#distance() <= NEAR);
  }

  // The reader

  #listenToReader() {
    const scroller = this.#scroller;
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    scroller.addEventListener("scrollend", () => this.#endGlide());
    scroller.addEventListener("wheel", (event) => event.deltaY < 0 && this.#letGo(), { passive: true });
    scroller.addEventListener("touchmove", () => this.#letGo(), { passive: true });
    scroller.addEventListener("pointerdown", (event) => this.#isOnBar(event) && this.#letGo());
    document.addEventListener("keydown", (event) => this.#pressed(event));
    document.addEventListener("selectionchange", () => this.#hasSelection() && this.#letGo());
  }

  #letGo() {
    this.#isHeld = false;
    this.#isGliding = false;
  }

  /** Up and away from the end lets go, also by find-in-page. The page may become shorter: that is nobody's scroll. */
  #scrolled() {
    const by = this.#scroller.scrollTop - this.#top;
    this.#top = this.#scroller.scrollTop;
    const isNear = this.#distance() <= NEAR;
    if (!this.#isGliding && by <= -1) this.#isHeld = this.#isHeld && isNear;
    if (!this.#isGliding && by >= 1) this.#isHeld = this.#isHeld || isNear;
    this.#showPill();
  }

  /** @param {PointerEvent} event */
  #isOnBar(event) {
    return event.target === this.#scroller && event.offsetX >= this.#scroller.clientWidth;
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const isInText = event.target instanceof Element && event.target.closest("input, textarea, select");
    const isUp = AWAY_KEYS.includes(event.key) || (event.key === " " && event.shiftKey);
    if (isUp && !isInText) this.#letGo();
  }

  #hasSelection() {
    const selection = document.getSelection();
    return Boolean(selection && !selection.isCollapsed && this.#turns.contains(selection.anchorNode));
  }

  // Places

  /** How far the end of what is written is below the lower edge; negative where it is above. */
  #distance() {
    return this.#end() - this.#scroller.getBoundingClientRect().bottom;
  }

  /** The room below a short last answer is not its end. */
  #end() {
    const turn = this.#lastTurn;
    const last = turn && Array.from(turn.children).findLast((child) => child.getBoundingClientRect().height > 1);
    return (last ?? turn ?? this.#turns).getBoundingClientRect().bottom;
  }

  get #lastTurn() {
    return /** @type {HTMLElement | undefined} */ (Array.from(this.#turns.querySelectorAll(":scope > .turn")).at(-1));
  }

  #toEnd() {
    const missing = this.#distance() + this.#padding();
    if (missing > 0) this.#moveTo(this.#scroller.scrollTop + missing);
    this.#isNear = true;
  }

  /** What is free below the last turn when all is scrolled up. */
  #padding() {
    const { scrollTop, scrollHeight } = this.#scroller;
    const below = scrollHeight - scrollTop - (this.#turns.getBoundingClientRect().bottom - this.#scroller.getBoundingClientRect().top);
    return this.#scroller.scrollHeight > this.#scroller.clientHeight ? Math.max(GAP, below) : GAP;
  }

  /** @param {number} top */
  #moveTo(top) {
    this.#isGliding = false;
    this.#scroller.scrollTop = top;
    this.#top = this.#scroller.scrollTop;
  }

  /** @param {number} top */
  #glideTo(top) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.#moveTo(top);
    clearTimeout(this.#glide);
    this.#isGliding = true;
    this.#scroller.scrollTo({ top, behavior: "smooth" });
    this.#glide = setTimeout(() => this.#endGlide(), GLIDE_MS);
  }

  /** What was written meanwhile may have passed the lower edge. */
  #endGlide() {
    if (!this.#isGliding) return;
    this.#isGliding = false;
    if (this.#isHeld) this.#toEnd();
    this.#showPill();
  }

  // Room for the answer

  /** The message goes up to the bar, and the answer grows below it without a scroll. @param {HTMLElement | undefined} turn */
  #giveRoom(turn) {
    this.#awaited = "";
    this.#isHeld = true;
    openRoom(this.#turns, turn);
    this.#glideTo(sizeRoom(this.#scroller, this.#turns));
  }

  #resized() {
    const top = sizeRoom(this.#scroller, this.#turns);
    if (this.#isGliding) this.#glideTo(top);
    else if (this.#isHeld && this.#isNear) this.#toEnd();
    this.#showPill();
  }

  // Pill and links

  #showPill() {
    const distance = this.#distance();
    this.#isNear = distance <= NEAR;
    const isShown = distance > FAR && !this.#isGliding;
    if (this.#pill.hidden !== isShown) return;
    if (!isShown && document.activeElement === this.#pill) this.#scroller.focus({ preventScroll: true });
    this.#pill.hidden = !isShown;
  }

  /** @param {string} status */
  #showStatus(status) {
    this.#pill.dataset.status = status;
    const text = this.#pill.querySelector("[data-word]");
    if (text) text.textContent = word(status === "waiting" ? "follow.waiting" : "follow.jump");
  }

  #jump() {
    this.#isHeld = true;
    const target = this.#scroller.scrollTop + this.#distance() + this.#padding();
    const isClose = target - this.#scroller.scrollTop < 2 * this.#scroller.clientHeight;
    if (isClose) this.#glideTo(target);
    else this.#moveTo(target);
    this.#showPill();
  }

  /** A link with a ref, or a turn's id, lands there. */
  #goToTarget() {
    const name = decode(location.hash.slice(1));
    const target = name && (document.getElementById(name) ?? document.querySelector(`[data-ref="${CSS.escape(name)}"]`));
    if (!(target instanceof HTMLElement) || !this.#turns.contains(target)) return false;
    this.#isHeld = false;
    const { top } = this.#scroller.getBoundingClientRect();
    this.#moveTo(this.#scroller.scrollTop + target.getBoundingClientRect().top - top - GAP);
    target.classList.add("is-target");
    setTimeout(() => target.classList.remove("is-target"), WASH_MS);
    this.#showPill();
    return true;
  }
}

function newPill() {
  const pill = document.createElement("button");
  Object.assign(pill, { id: "jump", className: "jump", type: "button", hidden: true });
  const text = document.createElement("span");
  text.dataset.word = "";
  pill.append(text);
  return pill;
}

/** @param {string} hash */
function decode(hash) {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}
