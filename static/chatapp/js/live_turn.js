// @ts-check
/** One turn while it is being written: each frame of its run becomes a change of its parts. */

import {
  countSeconds,
  endReasoning,
  fromTemplate,
  newPreparing,
  newReasoning,
  newStep,
  replaceStep,
  showProgress,
  writeReasoning,
} from "./live_steps.js";
import { writeText } from "./live_text.js";
import { Waiting } from "./waiting.js";
import { word } from "./words.js";

/** @typedef {import("./stream.js").Frame} Frame */

const LIVE = "[data-state=live], [data-state=running], [data-state=queued]";

export class LiveTurn {
  #article;
  #answer;
  #waiting;
  /** @type {HTMLElement | null} the part that is being written */
  #live;
  /** The height that the void text had, until what replaces it has reached it. */
  #held = 0;
  /** When the last frame came. */
  #heard = Date.now();

  /** @param {HTMLElement} article as the server drew it, or new */
  constructor(article) {
    this.#article = article;
    this.#answer = /** @type {HTMLElement} */ (article.querySelector(".answer"));
    this.#waiting = new Waiting((row) => this.#append(row));
    this.#adoptWaiting();
    this.#live = this.#parts(".part-text[data-state=live], .part-reasoning[data-state=live]").at(-1) ?? null;
    for (const step of this.#parts(".step")) countSeconds(step);
    this.#article.setAttribute("aria-busy", "true");
    this.settle();
  }

  get run() {
    return this.#article.dataset.run ?? "";
  }

  get isHere() {
    return this.#article.isConnected;
  }

  /** @param {Frame} frame */
  apply(frame) {
    this.#heard = Date.now();
    switch (frame.type) {
      case "text_delta":
        return this.#text(frame);
      case "reasoning_delta":
        return this.#reasoning(frame);
      case "tool_preparing":
        return this.#preparing(/** @type {any} */ (frame));
      case "tool_call":
      case "tool_result":
        return this.#step(frame);
      case "tool_progress":
        return this.#progress(/** @type {any} */ (frame));
      case "handed_over":
        return this.#handover(frame.agent);
      case "retry":
        return this.#retry(frame);
      case "text_withdrawn":
        return this.#withdraw();
    }
  }

  /** After a batch: while nothing comes, the page says what it waits for; a height that is reached is let go. */
  settle() {
    if (this.#parts(LIVE).length) this.#waiting.end();
    else this.#waiting.begin(this.#heard);
    if (this.#held && this.#ownHeight() >= this.#held) this.#letGo();
  }

  /** Nobody knows what the server waits for. */
  pause() {
    this.#waiting.end();
  }

  /** The run has ended; the server's own turn comes in a moment, and until then nothing may move. @param {string} state */
  end(state) {
    this.#rest();
    this.#waiting.end();
    this.#removeAll(".part-preparing");
    this.#article.dataset.ended = state;
    this.#article.removeAttribute("aria-busy");
  }

  /** The server's own row, if it says more than that the model is thinking. */
  #adoptWaiting() {
    const row = this.#answer.querySelector(".part-waiting");
    const text = row?.textContent?.trim() ?? "";
    row?.remove();
    if (text && text !== fromTemplate("waiting").textContent?.trim()) this.#waiting.tell(text);
  }

  /** @param {Frame} frame */
  #text(frame) {
    if (!frame.text && !frame.closed) return;
    const part = this.#part("text", frame.index) ?? this.#append(indexed(fromTemplate("text"), frame.index));
    writeText(part, /** @type {any} */ (frame));
    if (frame.text) this.#goLive(part);
  }

  /** @param {Frame} frame */
  #reasoning(frame) {
    const part = this.#part("reasoning", frame.index) ?? this.#append(newReasoning(frame.index));
    writeReasoning(part, frame.text);
    this.#goLive(part);
  }

  /** @param {{name: string, slot: number}} frame */
  #preparing(frame) {
    this.#rest();
    if (!this.#answer.querySelector(`.part-preparing[data-slot="${frame.slot}"]`)) this.#append(newPreparing(frame));
  }

  /** @param {Frame} frame */
  #step(frame) {
    this.#rest();
    if (frame.type === "tool_call") this.#removeAll(".part-preparing");
    const fresh = newStep(frame.html ?? "");
    if (!fresh) return;
    const old = this.#stepOf(frame.call_id);
    if (old) replaceStep(old, fresh);
    else this.#append(fresh);
    countSeconds(fresh, Date.now());
  }

  /** @param {{call_id: string, done: number, total: number | null, note: string | null}} frame */
  #progress(frame) {
    const step = this.#stepOf(frame.call_id);
    if (step) showProgress(step, frame);
  }

  /** @param {string} agent */
  #handover(agent) {
    this.#rest();
    const part = fromTemplate("handover");
    const name = part.querySelector("[data-name]");
    if (name) name.textContent = agent;
    this.#append(part);
  }

  /** What is shown of this turn is void, and stays until there is something in its place. @param {Frame} frame */
  #retry({ attempt, of }) {
    this.#rest();
    this.#removeAll(".part-preparing");
    this.#waiting.tell(word("live.retry", { attempt, of }));
  }

  #withdraw() {
    this.#held = this.#answer.offsetHeight;
    this.#answer.style.minHeight = `${this.#held}px`;
    this.#rest();
    this.#waiting.end();
    for (const part of this.#unstored()) part.remove();
  }

  /** Everything behind the last call: calls are shown when they are stored, with all that came before them. */
  #unstored() {
    const parts = this.#parts();
    return parts.slice(parts.findLastIndex((part) => part.matches(".step, .part-handover, .message")) + 1);
  }

  #letGo() {
    this.#held = 0;
    this.#answer.style.minHeight = "";
  }

  /** Without what is held. */
  #ownHeight() {
    const last = this.#parts().at(-1);
    const below = parseFloat(getComputedStyle(this.#answer).paddingBlockEnd) || 0;
    return last ? last.getBoundingClientRect().bottom - this.#answer.getBoundingClientRect().top + below : 0;
  }

  /** @param {HTMLElement} part */
  #goLive(part) {
    if (this.#live === part) return;
    this.#rest();
    this.#waiting.end();
    this.#live = part;
    part.dataset.state = "live";
  }

  #rest() {
    const part = this.#live;
    this.#live = null;
    if (!part) return;
    part.removeAttribute("data-state");
    if (part.matches(".part-reasoning")) endReasoning(part);
  }

  /** In front of what stands below an answer. @param {HTMLElement} part */
  #append(part) {
    const below = Array.from(this.#answer.children).find((child) => isBelow(child));
    this.#answer.insertBefore(part, below ?? null);
    return part;
  }

  /** @param {string} kind @param {number} index @returns {HTMLElement | null} */
  #part(kind, index) {
    return this.#answer.querySelector(`.part-${kind}[data-index="${index}"]`);
  }

  /** @param {string} callId @returns {HTMLElement | null} */
  #stepOf(callId) {
    return this.#answer.querySelector(`#${CSS.escape(`step-${callId}`)}`);
  }

  /** @param {string} selector */
  #removeAll(selector) {
    for (const part of this.#parts(selector)) part.remove();
  }

  /** @param {string} [selector] */
  #parts(selector = ".part") {
    const parts = Array.from(this.#answer.querySelectorAll(":scope > .part"));
    return /** @type {HTMLElement[]} */ (parts.filter((part) => part.matches(selector) && !part.matches(".part-waiting")));
  }
}

/** @param {Element} child */
function isBelow(child) {
  return child.matches(".part-waiting") || !child.matches(".part, h2, h3");
}

/** @param {HTMLElement} part @param {number} index */
function indexed(part, index) {
  part.dataset.index = String(index);
  return part;
}

/** How the run of a turn stands, also while the server's own turn is on its way. @param {HTMLElement | null} turn */
export function stateOf(turn) {
  return turn?.dataset.ended ?? turn?.dataset.state ?? "";
}
