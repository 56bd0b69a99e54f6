// @ts-check
/** Messages that are on their way: shown at once, and taken over by their run, so that none is there twice. */

import { fromTemplate } from "./live_steps.js";
import { number, word } from "./words.js";

const SENDING = "is-sending";
const FOLDED_LINES = 12;
const LINE = 72; // characters that stand on one line, roughly

export class Pending {
  #turns;
  /** @type {Map<string, HTMLElement>} by client id */
  #articles = new Map();

  /** @param {HTMLElement} turns */
  constructor(turns) {
    this.#turns = turns;
  }

  /** @param {string} text @param {string} clientId */
  place(text, clientId) {
    this.remove(clientId);
    const article = newTurn(text);
    article.classList.add(SENDING);
    this.#articles.set(clientId, article);
    this.#turns.append(article);
    this.#markLast();
  }

  /** It did not arrive: the text is back in the composer. @param {string} clientId */
  remove(clientId) {
    this.#articles.get(clientId)?.remove();
    this.#articles.delete(clientId);
    this.#markLast();
  }

  /**
   * The message has become this run. The run may be on the page already, with or without the help of `adopt`.
   * @param {string} clientId
   * @param {string} run
   */
  settle(clientId, run) {
    const article = this.#articles.get(clientId);
    this.#articles.delete(clientId);
    if (!article || article.dataset.run) return;
    if (document.getElementById(`turn-${run}`)) return article.remove();
    becomeTurn(article, run);
    dropOffers(article.previousElementSibling);
  }

  /** The turn of a run that begins: a message that waits with this text, else a new one. @param {string} run @param {string} text */
  adopt(run, text) {
    const waiting = Array.from(this.#articles.values()).find((article) => isWaiting(article, text));
    const article = waiting ?? newTurn(text);
    becomeTurn(article, run);
    this.#turns.append(article, ...this.#waiting());
    this.#markLast();
    dropOffers(article.previousElementSibling);
    return article;
  }

  /** The page was read again. What it shows by now is not on its way any more. @param {HTMLElement[]} added turns that are new on the page */
  reconcile(added) {
    for (const turn of added) {
      const text = messageText(turn);
      const [clientId] = Array.from(this.#articles).find(([, article]) => isWaiting(article, text)) ?? [];
      if (clientId) this.remove(clientId);
    }
    this.#turns.append(...this.#waiting());
    this.#markLast();
  }

  #markLast() {
    const turns = this.#turns.querySelectorAll(":scope > .turn");
    for (const [n, turn] of turns.entries()) turn.toggleAttribute("data-last", n === turns.length - 1);
  }

  #waiting() {
    return Array.from(this.#articles.values()).filter((article) => !article.dataset.run);
  }
}

/** @param {string} text */
function newTurn(text) {
  const article = fromTemplate("turn");
  const place = article.querySelector(".message-text");
  if (place) place.textContent = text;
  fold(article, text);
  return article;
}

/** As the server folds it. @param {HTMLElement} article @param {string} text */
function fold(article, text) {
  const bubble = article.querySelector(".bubble");
  const lines = text.split("\n").reduce((count, line) => count + 1 + Math.floor(line.length / LINE), 0);
  if (!bubble || lines <= FOLDED_LINES) return;
  bubble.setAttribute("data-folded", "");
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "message-unfold link-button" });
  button.dataset.action = "unfold";
  button.textContent = word("message.all", { lines: number(lines) });
  bubble.append(button);
}

/** @param {HTMLElement} article @param {string} run */
function becomeTurn(article, run) {
  article.classList.remove(SENDING);
  article.id = `turn-${run}`;
  article.dataset.run = run;
  article.dataset.state = "running";
  article.querySelector(".message")?.setAttribute("data-ref", `${run}:0`);
}

/** Only the last answer can be written anew. @param {Element | null} turn the one before */
function dropOffers(turn) {
  const offers = turn?.querySelectorAll(".actions [data-action=regenerate], .actions [data-action=edit]") ?? [];
  for (const button of offers) (button.closest("form") ?? button).remove();
}

/** @param {HTMLElement} article @param {string} text */
function isWaiting(article, text) {
  return !article.dataset.run && plain(messageText(article)) === plain(text);
}

/** @param {HTMLElement} article */
function messageText(article) {
  return article.querySelector(".message-text")?.textContent ?? "";
}

/** The server stores line ends and characters that cannot be stored in its own way. @param {string} text */
function plain(text) {
  return text.replace(/\s+/g, " ").replace(/[\0\ud800-\udfff\ufffd]/g, "").trim();
}
