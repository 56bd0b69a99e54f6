// @ts-check
/** Older turns, when the reader comes near the top or asks for them. What is before their eyes does not move. */

import { rewrite } from "./follow.js";
import { threadUrl } from "./http.js";
import { readHtml, turnsIn } from "./refresh.js";
import { emit } from "./signals.js";
import { word } from "./words.js";

const NEAR = "600px";
const SKELETON_AFTER_MS = 300;
const MOST_PAGES = 50;

export function start() {
  const section = document.getElementById("conversation");
  const turns = document.getElementById("turns");
  if (section && turns && document.body.dataset.thread) new OlderTurns(section, turns).start();
}

class OlderTurns {
  #section;
  #turns;
  /** @type {Promise<void> | null} */
  #loading = null;
  /** Not before the page has been scrolled to its end. */
  #isReady = false;

  /** @param {HTMLElement} section @param {HTMLElement} turns */
  constructor(section, turns) {
    this.#section = section;
    this.#turns = turns;
  }

  start() {
    this.#section.addEventListener("click", (event) => this.#clicked(event));
    const observer = new IntersectionObserver((entries) => this.#came(entries), {
      root: this.#section,
      rootMargin: `${NEAR} 0px 0px`,
    });
    const watch = () => this.#button && observer.observe(this.#button);
    // The button is another one after each page, and after the conversation was read again.
    new MutationObserver(watch).observe(this.#turns.parentElement ?? this.#section, { childList: true });
    requestAnimationFrame(() => {
      this.#isReady = true;
      watch();
      void this.#search(location.hash.slice(1));
    });
  }

  /** A link may lead to a message that is not on the page yet. @param {string} target */
  async #search(target) {
    const isHere = () => document.getElementById(target) ?? this.#turns.querySelector(`[data-ref="${CSS.escape(target)}"]`);
    if (!target.includes("-") || isHere()) return;
    for (let pages = 0; pages < MOST_PAGES && this.#button && !isHere(); pages++) await this.#load({ isAsked: false });
    if (isHere()) window.dispatchEvent(new HashChangeEvent("hashchange"));
  }

  get #button() {
    return /** @type {HTMLElement | null} */ (this.#section.querySelector("#older"));
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    if (!(event.target instanceof Element) || !event.target.closest("#older")) return;
    event.preventDefault();
    void this.#load({ isAsked: true });
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #came(entries) {
    if (this.#isReady && entries.some((entry) => entry.isIntersecting)) void this.#load({ isAsked: false });
  }

  /** One page at a time. @param {{isAsked: boolean}} how */
  #load(how) {
    this.#loading ??= this.#loadNext(how).finally(() => (this.#loading = null));
    return this.#loading;
  }

  /** @param {{isAsked: boolean}} how */
  async #loadNext({ isAsked }) {
    const button = this.#button;
    const cursor = button?.dataset.before;
    if (!button || !cursor) return;
    const skeleton = setTimeout(() => button.classList.add("is-loading"), SKELETON_AFTER_MS);
    const url = threadUrl(document.body.dataset.thread ?? "", `turns/?before=${encodeURIComponent(cursor)}`);
    const { status, body } = await readHtml(url);
    clearTimeout(skeleton);
    button.classList.remove("is-loading");
    // The conversation was read again meanwhile: this page does not fit any more.
    if (button !== this.#button) return;
    if (body) this.#take(body, button, isAsked);
    else this.#failed(status, button);
  }

  /** @param {HTMLElement} body @param {HTMLElement} button @param {boolean} isAsked */
  #take(body, button, isAsked) {
    const older = turnsIn(body).filter((turn) => !document.getElementById(turn.id));
    const next = body.querySelector("#older");
    rewrite(() => {
      this.#turns.prepend(...older);
      if (next) button.replaceWith(next);
      else button.remove();
    });
    if (isAsked) older.at(-1)?.focus({ preventScroll: true });
  }

  /** A cursor that is not known any more: the chat was cut in another window. @param {number} status @param {HTMLElement} button */
  #failed(status, button) {
    if (status === 400) return emit("chat:stale");
    if (status === 404) return emit("chat:deleted");
    if (status === 401) return emit("chat:signedout");
    button.textContent = word("older.failed");
  }
}
