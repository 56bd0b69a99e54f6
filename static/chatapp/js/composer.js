// @ts-check
/** The composer: sends and stops, keeps what is typed, and says in one line what happens to it. */

import { ComposerFace, pick } from "./composer_face.js";
import { ComposerField } from "./composer_field.js";
import { canSend, composerView, isLive } from "./composer_view.js";
import { draftKey, loadDraft, saveDraft } from "./drafts.js";
import { post } from "./http.js";
import { recall, remember } from "./preferences.js";
import { emit, on } from "./signals.js";
import { number, word } from "./words.js";

const SAVE_AFTER = 300;
const SHOW_STOPPING_AFTER = 300;
const SHOW_OFFLINE_AFTER = 2000;
const DOUBLE_CLICK = 500;
const NOVICE = 3;

export function start() {
  const form = document.querySelector("#composer");
  if (form instanceof HTMLFormElement) new Composer(form).start();
}

class Composer {
  #form;
  #field;
  #face;
  #user = document.body.dataset.user ?? "";
  #thread = document.body.dataset.thread ?? "";
  #draft = draftKey(this.#user, this.#thread);
  /** The id under which a text was sent; sent again unchanged, it keeps it. */
  #attempt = { text: "", clientId: "" };
  #runId = "";
  #sentAt = 0;
  #retryAt = 0;
  #saving = 0;
  #clock = 0;
  #state;

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.#form = form;
    const limit = Number(form.dataset.limit);
    this.#field = new ComposerField(pick(form, "textarea", HTMLTextAreaElement), limit);
    this.#face = new ComposerFace(form);
    this.#state = firstState(form, limit, this.#isNovice());
  }

  start() {
    this.#form.noValidate = true;
    this.#restoreDraft();
    this.#listenToForm();
    this.#listenToPage();
    this.#changed();
    if (this.#mayTakeFocus()) this.#field.focus();
  }

  #listenToForm() {
    this.#form.addEventListener("submit", (event) => this.#submitted(event));
    this.#form.addEventListener("input", () => this.#typed());
    this.#form.addEventListener("keydown", (event) => this.#pressed(event));
    this.#form.addEventListener("paste", (event) => this.#pasted(event));
    this.#form.addEventListener("pointerdown", (event) => this.#pointed(event));
    document.addEventListener("click", (event) => this.#chose(event));
    window.addEventListener("pagehide", () => this.#saveDraft());
    window.addEventListener("pageshow", (event) => event.persisted && this.#cameBack());
  }

  #listenToPage() {
    on("chat:status", ({ status, runId }) => this.#statusIs(status, runId));
    on("chat:connection", ({ online, retryAt }) => this.#connectionIs(online, retryAt));
    on("chat:restore", ({ text }) => this.#putBack(text));
    on("chat:deleted", () => this.#set({ ended: "deleted" }));
    on("chat:signedout", () => this.#set({ ended: "signedout" }));
  }

  // What the user does

  /** @param {SubmitEvent} event */
  #submitted(event) {
    event.preventDefault();
    if (event.submitter?.dataset.action === "stop") return void this.#stopAnswer();
    return void this.#sendText();
  }

  #typed() {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#saveDraft(), SAVE_AFTER);
    this.#field.fit();
    this.#set(this.#state.unsent ? {} : { failure: "" });
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (!(event.target instanceof HTMLTextAreaElement) || !this.#field.isSendKey(event)) return;
    event.preventDefault();
    if (!event.repeat) void this.#sendText();
  }

  /** Text over the limit is refused as a whole: a cut message would be a false one. @param {ClipboardEvent} event */
  #pasted(event) {
    const excess = this.#field.excessWith(event.clipboardData?.getData("text/plain") ?? "");
    if (!excess) return;
    event.preventDefault();
    this.#refuse(word("composer.paste", { count: number(excess), limit: number(this.#state.limit) }));
  }

  /** The whole box is the text's: a click beside it goes into it. @param {PointerEvent} event */
  #pointed(event) {
    if (event.target instanceof Element && event.target.closest("button, textarea, a")) return;
    event.preventDefault();
    this.#field.focus();
  }

  /** An example fills the box; it does not send. @param {MouseEvent} event */
  #chose(event) {
    const example = event.target instanceof Element && event.target.closest("[data-action=example]");
    if (!(example instanceof HTMLElement)) return;
    this.#field.text = example.dataset.text ?? "";
    this.#field.focus();
    this.#typed();
  }

  // Sending

  async #sendText() {
    this.#changed();
    if (!canSend(this.#state)) return;
    const { text, clientId } = this.#newAttempt();
    this.#sentAt = Date.now();
    this.#set({ sending: true, failure: "", unsent: false });
    if (this.#thread) this.#takeOut(text, clientId);
    const answer = await post(this.#form.action, { text, client_id: clientId });
    if (answer.ok) this.#arrived(answer.data, text, clientId);
    else this.#failed(answer, text, clientId);
  }

  #newAttempt() {
    const text = this.#field.text;
    if (this.#attempt.text !== text) this.#attempt = { text, clientId: newId() };
    clearTimeout(this.#saving);
    saveDraft(this.#draft, text, this.#attempt.clientId);
    return this.#attempt;
  }

  /**
   * In a thread the message stands in the conversation at once; on the empty page it stays until the next one is there.
   * @param {string} text
   * @param {string} clientId
   */
  #takeOut(text, clientId) {
    this.#field.text = "";
    this.#changed();
    emit("chat:sending", { text, clientId });
  }

  /**
   * @param {{url?: string, run_id?: string}} data
   * @param {string} text
   * @param {string} clientId
   */
  #arrived(data, text, clientId) {
    this.#attempt = { text: "", clientId: "" };
    this.#countMessage();
    if (!this.#thread) return this.#goTo(data.url ?? "/");
    this.#saveDraft();
    const runId = data.run_id ?? "";
    const isKnown = this.#runId === runId;
    this.#set({ sending: false, ended: "", ...(isKnown ? {} : { status: "running" }) });
    emit("chat:sent", { runId, text, clientId });
    this.#refocus();
  }

  /** @param {string} url */
  #goTo(url) {
    saveDraft(this.#draft, "");
    this.#draft = "";
    location.assign(url);
  }

  /**
   * @param {import("./http.js").Answer} answer
   * @param {string} text
   * @param {string} clientId
   */
  #failed(answer, text, clientId) {
    this.#set({ sending: false });
    if (this.#thread) this.#putBack(text);
    emit("chat:unsent", { text, clientId });
    if (answer.status === 401) return this.#set({ ended: "signedout" });
    if (answer.status === 404) return emit("chat:deleted");
    this.#set({ unsent: answer.status === 0 || answer.status >= 500 });
    this.#refuse(reasonOf(answer));
  }

  // Stopping

  async #stopAnswer() {
    // The second click of a double click on Send lands on Stop, which has just taken its place.
    if (this.#state.stopping || Date.now() - this.#sentAt < DOUBLE_CLICK) return;
    const shown = setTimeout(() => this.#set({ stopping: isLive(this.#state) }), SHOW_STOPPING_AFTER);
    this.#refocus();
    const answer = await post(this.#form.dataset.stopUrl ?? "");
    if (answer.ok) return;
    clearTimeout(shown);
    this.#set({ stopping: false });
    this.#refuse(answer.error || word("composer.unstopped"));
  }

  // What the page hears

  /**
   * @param {string} status
   * @param {string | null} runId
   */
  #statusIs(status, runId) {
    this.#runId = runId ?? this.#runId;
    const isNews = status !== this.#state.status;
    if (this.#state.ended === "signedout") this.#state.ended = "";
    if (isNews && !this.#state.unsent) this.#state.failure = "";
    this.#set({ status, stopping: this.#state.stopping && !isNews });
  }

  /**
   * @param {boolean} online
   * @param {number} [retryAt] epoch milliseconds
   */
  #connectionIs(online, retryAt = 0) {
    this.#retryAt = retryAt;
    if (!online) return this.#startClock();
    clearInterval(this.#clock);
    this.#clock = 0;
    this.#set({ offline: null });
  }

  #startClock() {
    if (this.#clock) return;
    const lostAt = Date.now();
    this.#clock = setInterval(() => {
      if (Date.now() - lostAt < SHOW_OFFLINE_AFTER) return;
      this.#set({ offline: Math.max(0, Math.ceil((this.#retryAt - Date.now()) / 1000)) });
    }, 500);
  }

  /** A message comes back into the box; what was typed since stays below it. @param {string} text */
  #putBack(text) {
    const typed = this.#field.text;
    this.#field.text = this.#field.isBlank ? text : `${text}\n\n${typed}`;
    this.#field.focus(text.length);
    this.#saveDraft();
    this.#changed();
  }

  /** The page was shown again from the browser's memory: nothing is on its way any more. */
  #cameBack() {
    this.#draft = draftKey(this.#user, this.#thread);
    if (!this.#thread) this.#field.text = loadDraft(this.#draft).text;
    this.#set({ sending: false });
  }

  // Keeping

  #restoreDraft() {
    const draft = loadDraft(this.#draft);
    if (!draft.text || !this.#field.isBlank) return;
    this.#field.text = draft.text;
    if (draft.clientId) this.#attempt = draft;
  }

  #saveDraft() {
    clearTimeout(this.#saving);
    if (!this.#draft || (this.#state.sending && !this.#field.text)) return;
    const text = this.#field.text;
    saveDraft(this.#draft, text, text === this.#attempt.text ? this.#attempt.clientId : "");
  }

  #isNovice() {
    return Number(recall(`sent:${this.#user}`) ?? 0) < NOVICE;
  }

  #countMessage() {
    if (!this.#isNovice()) return;
    remember(`sent:${this.#user}`, String(Number(recall(`sent:${this.#user}`) ?? 0) + 1));
    this.#state.novice = this.#isNovice();
  }

  #mayTakeFocus() {
    const isFree = document.activeElement === document.body;
    return hasFinePointer() && isFree && !location.hash && this.#state.status !== "waiting";
  }

  /** On touch, focus would open the keyboard over the answer. */
  #refocus() {
    if (hasFinePointer()) this.#field.focus();
  }

  // Showing

  /** @param {string} reason */
  #refuse(reason) {
    this.#set({ failure: reason });
    emit("chat:refused", { error: reason, hint: "" });
  }

  /** @param {Partial<import("./composer_view.js").State>} change */
  #set(change) {
    Object.assign(this.#state, change);
    this.#changed();
  }

  #changed() {
    this.#state.isBlank = this.#field.isBlank;
    this.#state.count = this.#field.count;
    if (this.#state.isBlank && this.#state.unsent) Object.assign(this.#state, { unsent: false, failure: "" });
    this.#face.show(composerView(this.#state), this.#state.ended);
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {number} limit
 * @param {boolean} novice
 * @returns {import("./composer_view.js").State}
 */
function firstState(form, limit, novice) {
  return {
    status: form.dataset.status ?? "idle",
    isNew: !document.body.dataset.thread,
    isBlank: true,
    count: 0,
    limit,
    sending: false,
    stopping: false,
    offline: null,
    failure: "",
    unsent: false,
    ended: "",
    novice,
  };
}

/** @param {import("./http.js").Answer} answer */
function reasonOf(answer) {
  if (!answer.error) return word("composer.unsent");
  return answer.hint ? `${answer.error} ${answer.hint}` : answer.error;
}

function hasFinePointer() {
  return matchMedia("(pointer: fine)").matches;
}

/** crypto.randomUUID is there on https and localhost only. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
