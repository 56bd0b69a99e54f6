// @ts-check
/**
 * The socket of the thread: frames in their order, none missing, none twice.
 *
 * Each frame goes out as `chat:frame`. A gap is asked for, a lost connection is made anew from the last frame
 * that was seen, and a socket that falls silent counts as lost: the server beats every ten seconds.
 */

import { onAttention } from "./attention.js";
import { emit, on } from "./signals.js";

const SIGNED_OUT = 4401;
const NOT_THERE = 4404;
const SILENCE_MS = 25_000;
const MOST_DOUBLINGS = 3; // a long snapshot may need longer on a slow line
const NOTICE_MS = 2_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
const SYNC_EVERY_MS = 1_000;

/** @typedef {{type: string, run_id?: string | null, seq?: number, [field: string]: any}} Frame */

export class Stream {
  #thread;
  #run = "";
  /** @type {Map<string, number>} the last frame that was seen of each run */
  #seen = new Map();
  /** @type {WebSocket | null} */
  #socket = null;
  #attempts = 0;
  #silences = 0;
  /** "": it comes back when it is lost. @type {"" | "deleted" | "signedout"} */
  #ended = "";
  #wasSignedOut = false;
  #isToldLost = false;
  #lastSync = 0;
  #lastHeard = 0;
  /** @type {number | undefined} */
  #watchdog;
  /** @type {number | undefined} */
  #retry;
  /** @type {number | undefined} */
  #notice;

  /** @param {string} thread @param {{run: string, after: number}} place what the page shows already */
  constructor(thread, place) {
    this.#thread = thread;
    this.moveTo(place.run, place.after, true);
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    if (this.#ended || this.#socket) return;
    clearTimeout(this.#retry);
    const socket = new WebSocket(this.#address());
    this.#socket = socket;
    socket.onmessage = (event) => this.#socket === socket && this.#receive(JSON.parse(event.data));
    socket.onclose = (event) => this.#socket === socket && this.#closed(event.code);
    this.#expectSomething();
  }

  /** Leaves for good, or until `connect` (a page that goes to sleep). */
  disconnect() {
    const socket = this.#socket;
    this.#socket = null;
    clearTimeout(this.#watchdog);
    clearTimeout(this.#retry);
    socket?.close();
  }

  /** Something tells that the network is there again, the machine awake, or somebody signed in again. */
  hurry() {
    if (this.#ended === "deleted") return;
    if (this.#ended === "signedout") this.#forget();
    if (this.#socket && Date.now() - this.#lastHeard > SILENCE_MS) this.disconnect();
    if (this.#socket) return;
    this.#attempts = 0;
    this.connect();
  }

  /** The page went quiet with the sign-out: it is read anew. */
  #forget() {
    this.#ended = this.#run = "";
    this.#seen.clear();
    this.#wasSignedOut = true;
  }

  /**
   * The page was read again, and shows this much.
   * @param {string} run
   * @param {number} after
   * @param {boolean} isNewest nothing of a later run has come in meanwhile
   */
  moveTo(run, after, isNewest) {
    if (isNewest) this.#run = run;
    if (run) this.#seen.set(run, Math.max(after, this.#seen.get(run) ?? 0));
  }

  #address() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const query = new URLSearchParams({ lang: document.documentElement.lang });
    if (this.#run) {
      query.set("run", this.#run);
      query.set("after", String(this.#after(this.#run)));
    }
    return `${scheme}://${location.host}/ws/threads/${this.#thread}/?${query}`;
  }

  /** @param {string} run */
  #after(run) {
    return this.#seen.get(run) ?? 0;
  }

  /** @param {Frame} frame */
  #receive(frame) {
    this.#expectSomething();
    this.#isBack();
    if (frame.type === "snapshot") this.#startFrom(frame);
    else if (frame.type === "heartbeat") this.#compare(frame);
    else if (frame.seq === undefined || this.#isNext(frame)) emit("chat:frame", frame);
  }

  /** @param {Frame} frame */
  #startFrom(frame) {
    if (!frame.resumed) {
      this.#run = frame.run_id ?? "";
      this.#seen.clear();
      if (frame.run_id) this.#seen.set(frame.run_id, frame.seq ?? 0);
    }
    emit("chat:frame", frame);
  }

  /** False for a repeat, and for what comes behind a gap: that is asked for. @param {Frame} frame */
  #isNext(frame) {
    const { run_id: run, seq } = /** @type {{run_id: string, seq: number}} */ (frame);
    const isNewRun = !this.#seen.has(run);
    const missing = seq - this.#after(run) - 1;
    if (missing > 0) this.#sync();
    if (missing !== 0) return false;
    this.#seen.set(run, seq);
    if (isNewRun) this.#run = run;
    return true;
  }

  /** @param {Frame} frame */
  #compare(frame) {
    const { run_id: run, seq } = frame.live;
    if (run && seq > this.#after(run)) this.#sync();
    else emit("chat:frame", frame);
  }

  /** Asks for what is missing. Not at once again: the answer is on its way. */
  #sync() {
    const now = Date.now();
    if (now - this.#lastSync < SYNC_EVERY_MS || !this.isOpen) return;
    this.#lastSync = now;
    this.#socket?.send(JSON.stringify({ type: "sync", run: this.#run || null, after: this.#after(this.#run) }));
  }

  #expectSomething() {
    this.#lastHeard = Date.now();
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.#giveUp(), SILENCE_MS * 2 ** Math.min(this.#silences, MOST_DOUBLINGS));
  }

  #giveUp() {
    this.#silences++;
    this.disconnect();
    this.#closed(1006);
  }

  #isBack() {
    this.#attempts = this.#silences = 0;
    clearTimeout(this.#notice);
    this.#notice = undefined;
    if (this.#wasSignedOut) emit("chat:signedin");
    if (this.#isToldLost) emit("chat:connection", { online: true, retryAt: 0 });
    this.#wasSignedOut = this.#isToldLost = false;
  }

  /** @param {number} code */
  #closed(code) {
    this.#socket = null;
    clearTimeout(this.#watchdog);
    if (code === SIGNED_OUT || code === NOT_THERE) {
      this.#ended = code === SIGNED_OUT ? "signedout" : "deleted";
      return emit(`chat:${this.#ended}`);
    }
    const pause = this.#pause();
    this.#retry = setTimeout(() => this.connect(), pause);
    this.#tellLater(Date.now() + pause);
  }

  #pause() {
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#attempts++);
    return longest * (0.5 + Math.random() / 2);
  }

  /** A short loss is nobody's business. @param {number} retryAt */
  #tellLater(retryAt) {
    if (this.#isToldLost) return this.#tellLost(retryAt);
    if (this.#notice !== undefined) return;
    this.#notice = setTimeout(() => this.#tellLost(retryAt), NOTICE_MS);
  }

  /** @param {number} retryAt */
  #tellLost(retryAt) {
    this.#notice = undefined;
    this.#isToldLost = true;
    emit("chat:connection", { online: false, retryAt });
  }
}

/** @type {Stream | null} */
let current = null;

/** What the page shows after it was read again. @param {string} run @param {number} after @param {boolean} isNewest */
export function moveTo(run, after, isNewest) {
  current?.moveTo(run, after, isNewest);
}

/** Whether what changes is told by the server at once. */
export function isOpen() {
  return current?.isOpen ?? false;
}

export function start() {
  const conversation = document.getElementById("conversation");
  const thread = document.body.dataset.thread;
  if (!conversation || !thread) return;
  const { run = "", after = "0" } = conversation.dataset;
  const stream = new Stream(thread, { run, after: Number(after) });
  current = stream;
  window.addEventListener("online", () => stream.hurry());
  on("chat:reachable", () => stream.hurry());
  on("chat:stale", () => stream.hurry());
  onAttention(() => stream.hurry());
  window.addEventListener("pagehide", () => stream.disconnect());
  window.addEventListener("pageshow", (event) => event.persisted && stream.connect());
  stream.connect();
}
