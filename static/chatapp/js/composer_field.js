// @ts-check
/** The textarea: its height, its limit, and the keys that send. It knows nothing of chats. */

const LONG = 20_000;
const NEAR = 0.9;

export class ComposerField {
  /** @type {HTMLTextAreaElement} */ #field;
  #limit;
  #composed = false;
  #grows = !CSS.supports("field-sizing", "content");

  /**
   * @param {HTMLTextAreaElement} field
   * @param {number} limit
   */
  constructor(field, limit) {
    this.#field = field;
    this.#limit = limit;
    field.addEventListener("compositionend", () => this.#markComposed());
  }

  get text() {
    return this.#field.value;
  }

  set text(text) {
    this.#field.value = text;
    this.fit();
  }

  get isBlank() {
    return !/\S/.test(this.#field.value);
  }

  /** Characters as the server counts them; 0 while the limit is far, as counting takes time. */
  get count() {
    return this.#field.textLength < this.#limit * NEAR ? 0 : countCharacters(this.#field.value);
  }

  /** Whether this key press sends. @param {KeyboardEvent} event */
  isSendKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return false;
    return !event.isComposing && event.keyCode !== 229 && !this.#composed;
  }

  /** How long the text would be with this pasted, or 0 when it fits. @param {string} pasted */
  excessWith(pasted) {
    const kept = this.#field.textLength - (this.#field.selectionEnd - this.#field.selectionStart);
    if (kept + pasted.length <= this.#limit) return 0;
    const total = countCharacters(pasted) + kept;
    return total > this.#limit ? countCharacters(pasted) : 0;
  }

  /** @param {number} [position] */
  focus(position = this.#field.textLength) {
    this.#field.focus({ preventScroll: true });
    this.#field.setSelectionRange(position, position);
  }

  fit() {
    this.#field.classList.toggle("is-long", this.#field.textLength > LONG);
    if (!this.#grows || this.#field.textLength > LONG) return;
    this.#field.style.height = "auto";
    this.#field.style.height = `${this.#field.scrollHeight}px`;
  }

  /** Safari ends a composition with an Enter that comes right after it. */
  #markComposed() {
    this.#composed = true;
    setTimeout(() => (this.#composed = false));
  }
}

/** Code points, without making an array of a million strings. @param {string} text */
function countCharacters(text) {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800) continue;
    if ((text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) pairs++;
  }
  return text.length - pairs;
}
