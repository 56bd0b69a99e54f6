// @ts-check
/** Puts what composer_view.js says into the page: buttons, placeholder, the line under the box. */

import { word } from "./words.js";

export class ComposerFace {
  #text;
  #send;
  #stop;
  #note;
  #key;
  #foot;
  #loginUrl;
  #ownPlaceholder;

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.#text = pick(form, "textarea", HTMLTextAreaElement);
    this.#send = pick(form, "[data-action=send]", HTMLButtonElement);
    this.#stop = /** @type {HTMLButtonElement | null} */ (form.querySelector("[data-action=stop]"));
    this.#note = pick(document, "#composer-note", HTMLElement);
    this.#foot = pick(document, ".composer-foot", HTMLElement);
    this.#key = pick(this.#foot, ".composer-key", HTMLElement);
    this.#loginUrl = form.dataset.loginUrl ?? "/";
    this.#ownPlaceholder = this.#text.dataset.placeholder ?? "";
  }

  /**
   * @param {import("./composer_view.js").View} view
   * @param {string} ended
   */
  show(view, ended) {
    this.#showSend(view.send);
    this.#showStop(view.stop);
    this.#showPlaceholder(view.placeholder || this.#ownPlaceholder);
    this.#foot.dataset.tone = view.tone;
    setText(this.#key, view.key);
    this.#showNote(view.note, ended);
  }

  /** @param {import("./composer_view.js").View["send"]} send */
  #showSend(send) {
    this.#send.hidden = send.hidden;
    this.#send.setAttribute("aria-disabled", String(send.disabled));
    this.#send.classList.toggle("has-word", send.again);
    this.#send.setAttribute("aria-label", word(send.again ? "composer.again" : "composer.send"));
  }

  /** @param {import("./composer_view.js").View["stop"]} stop */
  #showStop(stop) {
    if (!this.#stop) return;
    this.#stop.hidden = stop.hidden;
    this.#stop.disabled = stop.disabled;
    this.#stop.classList.toggle("is-outline", stop.outline);
    setText(pick(this.#stop, "[data-word]", HTMLElement), stop.label);
  }

  /** @param {string} placeholder */
  #showPlaceholder(placeholder) {
    if (this.#text.placeholder !== placeholder) this.#text.placeholder = placeholder;
  }

  /**
   * @param {string} note `{link}` in it becomes the one way on
   * @param {string} ended
   */
  #showNote(note, ended) {
    if (this.#note.dataset.note === note) return;
    this.#note.dataset.note = note;
    const [before, after] = note.split("{link}");
    this.#note.textContent = before;
    if (after !== undefined) this.#note.append(this.#wayOn(ended), after);
  }

  /** @param {string} ended */
  #wayOn(ended) {
    const link = document.createElement("a");
    if (ended !== "signedout") {
      link.href = document.body.dataset.homeUrl ?? "/";
      link.textContent = word("composer.new");
      return link;
    }
    Object.assign(link, { href: this.#loginUrl, target: "_blank", rel: "noopener" });
    link.textContent = word("composer.signin");
    return link;
  }
}

/**
 * @template {Element} T
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => T} type
 * @returns {T}
 */
export function pick(parent, selector, type) {
  const element = parent.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`The composer has no ${selector}`);
  return element;
}

/** @param {HTMLElement} element @param {string} text */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
