// @ts-check
/**
 * The conversation: frames of the socket become changes of the page, once per animation frame.
 *
 * While a turn or the whole conversation is read again, frames wait; those that what was read shows already are dropped.
 */

import { dress } from "./blocks.js";
import { rewrite, write } from "./follow.js";
import { threadUrl } from "./http.js";
import { LiveTurn, stateOf } from "./live_turn.js";
import { Pending } from "./pending.js";
import { merge, morph, olderThan, readHtml, turnsIn } from "./refresh.js";
import { emit, on } from "./signals.js";
import { moveTo } from "./stream.js";

/** @typedef {import("./stream.js").Frame} Frame */

const HIDDEN_MS = 250; // a page that nobody sees has no animation frames
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const OPEN_STATES = ["running", "waiting", "interrupted_open", "failed_open"];
/** How the last turn looks in each status of the thread. @type {Record<string, string>} */
const STATE_OF = { running: "running", waiting: "waiting", interrupted: "interrupted_open", failed: "failed_open" };

export function start() {
  const section = document.getElementById("conversation");
  const turns = document.getElementById("turns");
  if (section && turns && document.body.dataset.thread) new Conversation(section, turns).start();
}

class Conversation {
  #thread = document.body.dataset.thread ?? "";
  #section;
  #turns;
  #pending;
  /** @type {Frame[]} what waits to be shown */
  #frames = [];
  #isScheduled = false;
  /** What has to be read again: runs, or "" for all of it. @type {Set<string>} */
  #unread = new Set();
  #isReading = false;
  /** @type {LiveTurn | null} */
  #live = null;
  #told = { status: "", runId: "" };

  /** @param {HTMLElement} section @param {HTMLElement} turns */
  constructor(section, turns) {
    this.#section = section;
    this.#turns = turns;
    this.#pending = new Pending(turns);
  }

  start() {
    on("chat:frame", (frame) => this.#hear(frame));
    on("chat:sending", ({ text, clientId }) => this.#pending.place(text, clientId));
    on("chat:unsent", ({ clientId }) => this.#pending.remove(clientId));
    on("chat:sent", ({ runId, clientId }) => this.#pending.settle(clientId, runId));
    on("chat:stale", () => this.#readAgain());
    on("chat:connection", ({ online }) => (online ? this.#live?.settle() : this.#live?.pause()));
    on("chat:deleted", () => this.#goQuiet());
    on("chat:signedout", () => this.#goQuiet());
    dress(this.#turns);
    this.#wake();
    this.#told = { status: this.#section.dataset.status ?? "idle", runId: this.#section.dataset.run ?? "" };
  }

  // Frames

  /** @param {Frame} frame */
  #hear(frame) {
    if (frame.type === "history" || (frame.type === "snapshot" && !frame.resumed)) return this.#readAgain();
    if (frame.type === "deleted") return emit("chat:deleted");
    this.#frames.push(frame);
    this.#schedule();
  }

  #schedule() {
    if (this.#isScheduled || this.#isReading || !this.#frames.length) return;
    this.#isScheduled = true;
    nextFrame(() => {
      this.#isScheduled = false;
      if (!this.#isReading) this.#show();
    });
  }

  #show() {
    write(() => {
      while (this.#frames.length && !this.#isReading) this.#apply(/** @type {Frame} */ (this.#frames.shift()));
      if (this.#live?.isHere) this.#live.settle();
    });
    this.#tell();
  }

  /** @param {Frame} frame */
  #apply(frame) {
    if (frame.type === "snapshot") return this.#statusIs(frame.status, frame.run_id);
    if (frame.type === "heartbeat") return this.#compare(frame.live);
    if (frame.type === "run_started") return this.#runStarts(frame);
    const turn = this.#turnOf(frame.run_id);
    if (!turn) return;
    if (frame.type === "run_finished") this.#runEnds(frame, turn);
    else turn.apply(frame);
  }

  /** The turn that a run still writes; null for one that is not here, or shown as ended. @param {string | null | undefined} run */
  #turnOf(run) {
    if (!run) return null;
    if (this.#live?.isHere && this.#live.run === run) return this.#live;
    const article = document.getElementById(`turn-${run}`);
    this.#live = article && isOpen(article) ? new LiveTurn(article) : null;
    return this.#live;
  }

  /** @param {Frame} frame */
  #runStarts(frame) {
    const run = /** @type {string} */ (frame.run_id);
    this.#statusIs("running", run);
    // What a resume keeps of an answer, only the server knows.
    if (frame.resumed) return this.#readAgain();
    const isHere = document.getElementById(`turn-${run}`);
    if (!isHere) this.#pending.adopt(run, frame.input?.text ?? "");
    this.#turnOf(run);
  }

  /** @param {Frame} frame @param {LiveTurn} turn */
  #runEnds(frame, turn) {
    // Its server shuts down, and another one goes on with it in a moment. Else the next heartbeat says how it stands.
    if (frame.handed_over) return;
    const status = frame.status in STATE_OF ? frame.status : "idle";
    this.#statusIs(status, frame.run_id);
    turn.end(STATE_OF[status] ?? frame.status);
    this.#live = null;
    this.#read(turn.run);
  }

  /** The database has the last word: a page that shows something else is read again. @param {{run_id: string | null, status: string}} live */
  #compare({ run_id: run, status }) {
    this.#statusIs(status, run);
    const open = turnsIn(this.#turns).filter((turn) => turn.dataset.run && isOpen(turn));
    const agrees = run ? open.length === 1 && open[0].dataset.run === run && stateOf(open[0]) === STATE_OF[status] : !open.length;
    if (!agrees) this.#readAgain();
  }

  // Reading again

  /** Whatever came before is in what will be read. */
  #readAgain() {
    this.#frames = [];
    this.#read("");
  }

  /** @param {string} what a run, or "" for all */
  #read(what) {
    this.#unread.add(what);
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll() {
    this.#isReading = true;
    let tries = 0;
    while (this.#unread.size) {
      const what = this.#unread.has("") ? "" : [...this.#unread][0];
      this.#unread.delete(what);
      if (await this.#readOne(what, tries)) tries = 0;
      else if (what) this.#readLater(what);
      else await this.#pause(tries++);
    }
    this.#isReading = false;
    this.#tell();
    this.#schedule();
  }

  /** Frames wait for the whole conversation as long as it takes: they would not fit the page that is here. @param {number} tries */
  async #pause(tries) {
    this.#unread.add("");
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(tries)));
  }

  /** All of a turn's text is here, only its end is not; nothing waits for that. @param {string} run */
  #readLater(run) {
    setTimeout(() => this.#read(run), LONGEST_PAUSE_MS);
  }

  /** @param {string} what @param {number} tries @returns {Promise<boolean>} false when it has to be tried again */
  async #readOne(what, tries) {
    const path = what ? `turns/${encodeURIComponent(what)}/` : "conversation/";
    const { status, body } = await readHtml(threadUrl(this.#thread, path), tries);
    if (this.#unread.has("")) return true; // there is news that this reading may lack
    if (body) this.#take(what, body);
    else if (status === 401) emit("chat:signedout");
    else if (status === 404 && what) this.#unread.add("");
    else if (status === 404) emit("chat:deleted");
    return body !== null || (status >= 400 && status < 500);
  }

  /** @param {string} what @param {HTMLElement} body */
  #take(what, body) {
    const section = body.querySelector("#conversation");
    if (!what && section instanceof HTMLElement) return rewrite(() => this.#takeAll(section));
    const [fresh] = turnsIn(body);
    const old = fresh && document.getElementById(fresh.id);
    if (!old) return;
    // Of a very long run it is the newest piece: what is before it comes with the whole page, by a link.
    if (hasBeginning(old) && !hasBeginning(fresh)) return void this.#unread.add("");
    // A turn alone does not say up to which frame it goes.
    if (fresh.dataset.state === "running") return void this.#unread.add("");
    rewrite(() => merge(old, fresh));
  }

  /** @param {HTMLElement} fresh */
  #takeAll(fresh) {
    const turns = turnsIn(fresh);
    const { run = "", after = "0", status = "idle" } = fresh.dataset;
    const older = turns.length && hasBeginning(turns[0]) ? olderThan(this.#turns, turns[0]) : [];
    if (!older.length) replaceOlder(this.#section, fresh);
    this.#pending.reconcile(morph(this.#turns, turns, older));
    Object.assign(this.#section.dataset, { run, after, status });
    this.#frames = this.#frames.filter((frame) => frame.run_id !== run || (frame.seq ?? 0) > Number(after));
    const isNewest = this.#frames.every((frame) => !frame.run_id || frame.run_id === run);
    moveTo(run, Number(after), isNewest);
    this.#statusIs(status, run);
    this.#wake();
  }

  /** A turn that is being written goes on in this page. */
  #wake() {
    const article = turnsIn(this.#turns).find((turn) => turn.dataset.run && stateOf(turn) === "running");
    this.#live = article ? new LiveTurn(article) : null;
  }

  /** No more news will come: nothing on the page may look as if it went on. */
  #goQuiet() {
    this.#live?.end("");
    this.#live = null;
    this.#frames = [];
  }

  // Status

  /** @param {string} status @param {string | null | undefined} run */
  #statusIs(status, run) {
    this.#section.dataset.status = status;
    if (run) this.#section.dataset.run = run;
  }

  #tell() {
    const { status = "idle", run: runId = "" } = this.#section.dataset;
    if (status === this.#told.status && runId === this.#told.runId) return;
    this.#told = { status, runId };
    emit("chat:status", { status, runId });
  }
}

/** @param {HTMLElement} turn */
function isOpen(turn) {
  return OPEN_STATES.includes(stateOf(turn));
}

/** Whether it is not a later piece of a very long run. @param {HTMLElement} turn */
function hasBeginning(turn) {
  return turn.querySelector(".message") !== null;
}

/** @param {HTMLElement} section @param {HTMLElement} fresh */
function replaceOlder(section, fresh) {
  const [old, next] = [section.querySelector("#older"), fresh.querySelector("#older")];
  if (old && next) old.replaceWith(next);
  else if (next) section.querySelector("#turns")?.before(next);
  else old?.remove();
}

/** @param {() => void} show */
function nextFrame(show) {
  let isDone = false;
  const once = () => {
    if (!isDone) show();
    isDone = true;
  };
  requestAnimationFrame(once);
  setTimeout(once, HIDDEN_MS);
}

/** @param {number} tries */
function pauseAfter(tries) {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
}
