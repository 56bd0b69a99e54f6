// @ts-check
/** The composer: sends and stops, keeps what is typed, and says in one line what happens to it. */

import { ComposerFace, pick } from "./composer_face.js";
import { ComposerField } from "./composer_field.js";
import { OfflineClock } from "./composer_offline.js";
import { canSend, composerView, isLive } from "./composer_view.js";
import { Draft } from "./drafts.js";
import { post } from "./http.js";
import { countMessage, isNovice } from "./novice.js";
import { emit, on } from "./signals.js";
import { number, sentences, word } from "./words.js";

const SHOW_STOPPING_AFTER = 300;
const DOUBLE_CLICK = 500;

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
  #draft = new Draft(this.#user, this.#thread);
  #offline = new OfflineClock((seconds) => this.#offlineFor(seconds));
  #runId = "";
  #sentAt = 0;
  #isStopAsked = false;
  #isLeaving = false;
  #state;

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.#form = form;
    const limit = Number(form.dataset.limit);
    this.#field = new ComposerField(pick(form, "textarea", HTMLTextAreaElement), limit);
    this.#face = new ComposerFace(form);
    this.#state = firstState(form, limit, isNovice(this.#user));
  }

  start() {
    this.#form.noValidate = true;
    if (this.#field.isBlank) this.#field.text = this.#draft.read();
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
    this.#form.addEventListener("click", (event) => this.#clicked(/** @type {PointerEvent} */ (event)));
    document.addEventListener("click", (event) => this.#chose(event));
    this.#draft.watch(() => this.#field.text, () => this.#emptied());
    window.addEventListener("pagehide", () => this.#saveDraft());
    window.addEventListener("pageshow", (event) => event.persisted && this.#cameBack());
  }

  #listenToPage() {
    on("chat:status", ({ status, runId }) => this.#statusIs(status, runId));
    on("chat:connection", ({ online, retryAt }) => this.#offline.connectionIs(online, retryAt));
    on("chat:restore", ({ text }) => this.#putBack(text));
    on("chat:deleted", ({ byUser }) => this.#threadIsGone(byUser));
    on("chat:signedout", () => this.#set({ ended: "signedout" }));
    on("chat:signedin", () => this.#set({ ended: "" }));
  }

  // What the user does

  /** @param {SubmitEvent} event */
  #submitted(event) {
    event.preventDefault();
    if (event.submitter?.dataset.action === "stop") return void this.#stopAnswer();
    return void this.#sendText();
  }

  #emptied() {
    this.#field.text = "";
    this.#changed();
  }

  #typed() {
    this.#draft.saveSoon(() => this.#saveDraft());
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

  /** The second click of a double click on Send lands on Stop, which has just taken its place. @param {PointerEvent} event */
  #clicked(event) {
    const isStop = event.target instanceof Element && event.target.closest("[data-action=stop]");
    const isSecond = event.detail > 1 || (event.detail === 1 && event.pointerType === "touch");
    if (isStop && isSecond && Date.now() - this.#sentAt < DOUBLE_CLICK) event.preventDefault();
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
    const { text, clientId } = this.#draft.attempt(this.#field.text);
    this.#sentAt = Date.now();
    this.#set({ sending: true, failure: "", unsent: false });
    if (this.#thread) this.#takeOut(text, clientId, isLive(this.#state));
    const answer = await post(this.#form.action, { text, client_id: clientId });
    if (answer.ok) this.#arrived(answer.data, text, clientId);
    else this.#failed(answer, text, clientId);
  }

  /**
   * In a thread the message stands at its place at once; on the empty page it stays until the next one is there.
   * @param {string} text
   * @param {string} clientId
   * @param {boolean} queues
   */
  #takeOut(text, clientId, queues) {
    this.#field.text = "";
    this.#changed();
    emit(queues ? "chat:queueing" : "chat:sending", { text, clientId });
  }

  /**
   * @param {{thread?: string, url?: string, run_id?: string, queued?: boolean}} data
   * @param {string} text
   * @param {string} clientId
   */
  #arrived(data, text, clientId) {
    countMessage(this.#user);
    this.#state.novice = isNovice(this.#user);
    // Sockets that were closed by a logout stay closed: a fresh page has fresh ones.
    if (!this.#thread || this.#state.ended) return this.#goTo(data, text);
    this.#draft.settle(this.#field.text);
    if (data.queued) return this.#isQueued(text, clientId);
    const runId = data.run_id ?? "";
    const isKnown = this.#runId === runId;
    this.#set({ sending: false, ...(isKnown ? {} : { status: "running" }) });
    emit("chat:queued", { clientId });
    emit("chat:sent", { runId, text, clientId });
    this.#refocus();
  }

  /** It waits: not in the conversation, but in the strip above the box. @param {string} text @param {string} clientId */
  #isQueued(text, clientId) {
    this.#set({ sending: false });
    emit("chat:unsent", { text, clientId });
    this.#refocus();
  }

  /**
   * To the thread's own page. What was typed since goes along, as its draft.
   * @param {{thread?: string, url?: string}} data
   * @param {string} sent
   */
  #goTo(data, sent) {
    const typed = this.#field.text;
    this.#draft.settleIn(data.thread ?? "", typed.startsWith(sent) ? typed.slice(sent.length) : typed);
    this.#isLeaving = true;
    location.assign(data.url ?? "/");
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
    if (this.#isStopAsked) return;
    this.#isStopAsked = true;
    const shown = setTimeout(() => this.#set({ stopping: isLive(this.#state) }), SHOW_STOPPING_AFTER);
    this.#refocus();
    const answer = await post(this.#form.dataset.stopUrl ?? "");
    if (answer.ok && isLive(this.#state)) return;
    clearTimeout(shown);
    this.#isStopAsked = false;
    this.#set({ stopping: false });
    if (!answer.ok) this.#refuse(answer.error || word("composer.unstopped"));
  }

  // What the page hears

  /**
   * @param {string} status
   * @param {string | null} runId
   */
  #statusIs(status, runId) {
    this.#runId = runId ?? this.#runId;
    const isNews = status !== this.#state.status;
    if (isNews && !this.#state.unsent) this.#state.failure = "";
    if (isNews) this.#isStopAsked = false;
    this.#set({ status, stopping: this.#state.stopping && !isNews });
  }

  /** @param {number | null} seconds */
  #offlineFor(seconds) {
    if (seconds !== this.#state.offline) this.#set({ offline: seconds });
  }

  /** Whoever deletes a chat gives up what is typed in it, unless it was done in another window. @param {boolean} [byUser] */
  #threadIsGone(byUser) {
    if (byUser) this.#field.text = "";
    this.#set({ ended: "deleted" });
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
    this.#isLeaving = false;
    if (!this.#thread) this.#field.text = this.#draft.read();
    this.#set({ sending: false });
  }

  // Keeping

  /** What is on its way stays the draft until the server has answered. */
  #saveDraft() {
    if (this.#isLeaving || this.#state.sending) return;
    if (this.#state.ended === "deleted") this.#draft.leave(this.#field.text);
    else this.#draft.save(this.#field.text);
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
  return sentences(answer.error, answer.hint);
}

function hasFinePointer() {
  return matchMedia("(pointer: fine)").matches;
}
