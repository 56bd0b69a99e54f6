// @ts-check
/** The strip above the composer: messages that wait for their turn, changed or withdrawn in place. */

import { editQueued, leaveQueue } from "./queue_edit.js";
import { post } from "./http.js";
import { refuseAt } from "./refusal.js";
import { emit, on } from "./signals.js";
import { number, word } from "./words.js";

const SHOWN = 3;

/** @typedef {{held: string | null, messages: {id: string, text: string}[]}} Queue */

export function start() {
  const strip = document.getElementById("queue");
  if (strip) new QueueStrip(strip).start();
}

class QueueStrip {
  #strip;
  #head;
  #list;
  #more;
  #url;
  #isOpen = false;
  /** @type {Queue} */
  #queue = { held: null, messages: [] };
  /** Messages on their way to the server. @type {Map<string, string>} */
  #coming = new Map();

  /** @param {HTMLElement} strip */
  constructor(strip) {
    this.#strip = strip;
    this.#head = /** @type {HTMLElement} */ (strip.querySelector(".queue-head"));
    this.#list = /** @type {HTMLElement} */ (strip.querySelector(".queue-list"));
    this.#more = /** @type {HTMLButtonElement} */ (strip.querySelector(".queue-more"));
    this.#url = strip.dataset.url ?? "";
  }

  start() {
    this.#queue = { held: this.#head.hidden ? null : "given", messages: this.#printed() };
    this.#strip.addEventListener("submit", (event) => this.#submitted(event));
    this.#strip.addEventListener("click", (event) => this.#clicked(event));
    on("chat:frame", (frame) => this.#hear(frame));
    on("chat:queueing", ({ text, clientId }) => this.#expect(clientId, text));
    on("chat:queued", ({ clientId }) => this.#settle(clientId));
    on("chat:unsent", ({ clientId }) => this.#settle(clientId));
    this.#fold();
  }

  /** What the server has put into the page. */
  #printed() {
    return this.#rows().map((row) => ({ id: row.dataset.id ?? "", text: textOf(row).textContent ?? "" }));
  }

  /** @param {any} frame */
  #hear(frame) {
    if (frame.type === "queue") this.#show(frame);
    else if (frame.type === "snapshot" && frame.queue) this.#show(frame.queue);
  }

  /** @param {string} clientId @param {string} text */
  #expect(clientId, text) {
    this.#coming.set(clientId, text);
    this.#draw();
  }

  /** @param {string} clientId */
  #settle(clientId) {
    if (this.#coming.delete(clientId)) this.#draw();
  }

  /** @param {Queue} queue */
  #show(queue) {
    this.#queue = { held: queue.held, messages: queue.messages };
    this.#showReason(queue.held);
    this.#draw();
  }

  /** @param {string | null} held */
  #showReason(held) {
    this.#head.hidden = !held;
    if (!held) return;
    const key = held === "stopped" || held === "limit" ? held : "broken";
    const reason = this.#head.querySelector("[data-reason]");
    if (reason) reason.textContent = word(`queue.${key}`);
    const goOn = /** @type {HTMLElement} */ (this.#head.querySelector("[data-action=go-on]"));
    goOn.hidden = held === "limit";
  }

  /** Rows that stay keep their element where it is, with the focus or the field in it. */
  #draw() {
    const wanted = [...this.#queue.messages, ...[...this.#coming].map(([id, text]) => ({ id, text }))];
    const known = new Map(this.#rows().map((row) => [row.dataset.id, row]));
    const rows = wanted.map(({ id, text }) => this.#fill(known.get(id) ?? this.#fresh(), id, text));
    this.#place(rows);
    this.#strip.hidden = rows.length === 0;
    this.#fold();
  }

  /** @param {HTMLElement[]} rows */
  #place(rows) {
    for (const row of this.#rows()) {
      if (rows.includes(row)) continue;
      leaveQueue(row);
      row.remove();
    }
    let place = this.#list.firstElementChild;
    for (const row of rows) {
      if (row === place) place = row.nextElementSibling;
      else this.#list.insertBefore(row, place);
    }
  }

  #fresh() {
    const template = /** @type {HTMLTemplateElement} */ (document.getElementById("tpl-queued"));
    const row = /** @type {HTMLElement} */ (template.content.querySelector(".queue-row"));
    return /** @type {HTMLElement} */ (row.cloneNode(true));
  }

  /** @param {HTMLElement} row @param {string} id @param {string} text */
  #fill(row, id, text) {
    row.dataset.id = id;
    const isComing = this.#coming.has(id);
    row.classList.toggle("is-coming", isComing);
    const form = /** @type {HTMLFormElement} */ (row.querySelector("form"));
    form.action = `${this.#url}${id}/`;
    for (const button of row.querySelectorAll("button")) button.disabled = isComing;
    if (textOf(row).textContent !== text) textOf(row).textContent = text;
    return row;
  }

  #fold() {
    const rows = this.#rows();
    const hidden = this.#isOpen ? 0 : Math.max(0, rows.length - SHOWN);
    rows.forEach((row, at) => {
      row.hidden = at >= rows.length - hidden;
      const name = word("queue.withdraw", { number: number(at + 1) });
      row.querySelector("[data-action=withdraw]")?.setAttribute("aria-label", name);
    });
    this.#more.hidden = rows.length <= SHOWN;
    this.#more.setAttribute("aria-expanded", String(this.#isOpen));
    this.#more.textContent = this.#isOpen ? word("queue.less") : word("queue.more", { count: number(hidden) });
  }

  #rows() {
    return /** @type {HTMLElement[]} */ ([...this.#list.querySelectorAll(":scope > .queue-row")]);
  }

  /** @param {SubmitEvent} event */
  #submitted(event) {
    event.preventDefault();
    const button = event.submitter;
    if (!(button instanceof HTMLButtonElement)) return;
    const row = button.closest(".queue-row");
    if (row instanceof HTMLElement) void this.#withdraw(row, button);
    else void this.#command(button, this.#url, { action: "go_on" });
  }

  /** @param {HTMLElement} row @param {HTMLButtonElement} button */
  async #withdraw(row, button) {
    const data = await this.#command(button, `${this.#url}${row.dataset.id}/`, { action: "withdraw" });
    if (data?.text) emit("chat:restore", { text: data.text });
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {string} url
   * @param {Record<string, string>} fields
   */
  async #command(button, url, fields) {
    const place = /** @type {HTMLElement} */ (button.closest(".queue-row, .queue-head"));
    button.disabled = true;
    const answer = await post(url, fields);
    button.disabled = false;
    if (answer.ok) place.querySelector(".refusal")?.remove();
    else refuseAt(place, answer);
    return answer.ok ? answer.data : null;
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const button = event.target instanceof Element && event.target.closest("button");
    if (!(button instanceof HTMLButtonElement)) return;
    if (button.dataset.action === "more-queued") this.#toggle();
    const row = button.closest(".queue-row");
    if (button.dataset.action === "edit-queued" && row instanceof HTMLElement) {
      const text = this.#queue.messages.find(({ id }) => id === row.dataset.id)?.text;
      if (text !== undefined) editQueued(row, text, (changed) => this.#change(row, button, changed));
    }
  }

  /** @param {HTMLElement} row @param {HTMLButtonElement} button @param {string} text */
  async #change(row, button, text) {
    return (await this.#command(button, `${this.#url}${row.dataset.id}/`, { text })) !== null;
  }

  #toggle() {
    this.#isOpen = !this.#isOpen;
    this.#fold();
  }
}

/** @param {HTMLElement} row */
function textOf(row) {
  return /** @type {HTMLElement} */ (row.querySelector(".queue-text"));
}
