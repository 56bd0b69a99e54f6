// @ts-check
/** The row that says what is being waited for while nothing of the answer is coming. */

import { fromTemplate } from "./live_steps.js";
import { count, spellSeconds, stopCounting } from "./seconds.js";
import { word } from "./words.js";

const SHOW_AFTER_MS = 300;
const LONG_SECONDS = 10;

export class Waiting {
  /** @type {HTMLElement | null} */
  #row = null;
  #shown = 0;
  #insert;

  /** @param {(row: HTMLElement) => void} insert puts the row into its place */
  constructor(insert) {
    this.#insert = insert;
  }

  /** For the model's next word. Short waits are not mentioned. @param {number} since epoch ms */
  begin(since) {
    if (this.#row) return;
    const row = this.#newRow();
    row.hidden = true;
    this.#shown = setTimeout(() => (row.hidden = false), SHOW_AFTER_MS);
    const label = /** @type {HTMLElement} */ (row.querySelector("[data-label]") ?? row);
    count(row, since, (seconds) => {
      label.textContent =
        seconds < LONG_SECONDS ? word("live.thinking") : word("live.waiting", { time: spellSeconds(seconds) });
    });
  }

  /** Says why. @param {string} text */
  tell(text) {
    this.end();
    const row = this.#newRow();
    (row.querySelector("[data-label]") ?? row).textContent = text;
  }

  end() {
    clearTimeout(this.#shown);
    if (!this.#row) return;
    stopCounting(this.#row);
    this.#row.remove();
    this.#row = null;
  }

  #newRow() {
    const row = fromTemplate("waiting");
    this.#row = row;
    this.#insert(row);
    return row;
  }
}
