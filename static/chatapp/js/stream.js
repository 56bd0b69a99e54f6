// @ts-check
/**
 * The socket of the thread: frames in their order, none missing, none twice.
 *
 * Each frame goes out as `chat:frame`. A gap is asked for, a lost connection is made anew from the last frame
 * that was seen, and a socket that falls silent counts as lost: the server beats every ten seconds.
 */

import { emit } from "./signals.js";

const SIGNED_OUT = 4401;
const NOT_THERE = 4404;
const SILENCE_MS = 25_000;
const NOTICE_MS = 2_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
const SYNC_EVERY_MS = 1_000;

export class Stream {
  /** @param {string} thread @param {{run: string, after: number}} place what the page shows already */
  constructor(thread, place) {
    this.thread = thread;
    this.run = place.run;
    this.seq = place.after;
    this.attempts = 0;
    this.ended = false;
    this.lastSync = 0;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {number | undefined} */
    this.watchdog = undefined;
    /** @type {number | undefined} */
    this.retry = undefined;
    /** @type {number | undefined} */
    this.notice = undefined;
  }

  connect() {
    if (this.ended || this.socket) return;
    window.clearTimeout(this.retry);
    const socket = new WebSocket(this.address());
    this.socket = socket;
    socket.onmessage = (event) => this.socket === socket && this.receive(JSON.parse(event.data));
    socket.onclose = (event) => this.socket === socket && this.closed(event.code);
    this.expectSomething();
  }

  /** Leaves for good, or until `connect` (a page that goes to sleep). */
  disconnect() {
    const socket = this.socket;
    this.socket = null;
    window.clearTimeout(this.watchdog);
    window.clearTimeout(this.retry);
    socket?.close();
  }

  address() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const place = this.run ? `?run=${encodeURIComponent(this.run)}&after=${this.seq}` : "";
    return `${scheme}://${location.host}/ws/threads/${this.thread}/${place}`;
  }

  /** @param {any} frame */
  receive(frame) {
    this.expectSomething();
    this.isBack();
    if (frame.type === "snapshot") this.startFrom(frame);
    else if (frame.type === "heartbeat") this.compare(frame.live);
    else if (frame.seq === undefined) emit("chat:frame", frame);
    else if (this.isNext(frame)) {
      this.run = frame.run_id;
      this.seq = frame.seq;
      emit("chat:frame", frame);
    }
  }

  /** @param {any} frame */
  startFrom(frame) {
    if (!frame.resumed) {
      this.run = frame.run_id ?? "";
      this.seq = frame.seq ?? 0;
    }
    emit("chat:frame", frame);
  }

  /** False for a repeat, and for what comes behind a gap: that is asked for. @param {any} frame */
  isNext(frame) {
    const seen = frame.run_id === this.run ? this.seq : 0;
    if (frame.seq === seen + 1) return true;
    if (frame.seq > seen) this.sync();
    return false;
  }

  /** @param {{run_id: string | null, seq: number, status: string}} live */
  compare(live) {
    const isBehind = live.run_id && (live.run_id !== this.run || live.seq > this.seq);
    if (isBehind) this.sync();
    else emit("chat:frame", { type: "heartbeat", live });
  }

  /** Asks for what is missing. Not at once again: the answer is on its way. */
  sync() {
    const now = Date.now();
    if (now - this.lastSync < SYNC_EVERY_MS || this.socket?.readyState !== WebSocket.OPEN) return;
    this.lastSync = now;
    this.socket.send(JSON.stringify({ type: "sync", run: this.run || null, after: this.seq }));
  }

  /** The page was read again, and shows this much. @param {string} run @param {number} after */
  moveTo(run, after) {
    if (run !== this.run || after > this.seq) {
      this.run = run;
      this.seq = after;
    }
  }

  expectSomething() {
    window.clearTimeout(this.watchdog);
    this.watchdog = window.setTimeout(() => this.giveUp(), SILENCE_MS);
  }

  giveUp() {
    this.disconnect();
    this.closed(1006);
  }

  isBack() {
    this.attempts = 0;
    window.clearTimeout(this.notice);
    this.notice = undefined;
    emit("chat:connection", { online: true, retryAt: 0 });
  }

  /** @param {number} code */
  closed(code) {
    this.socket = null;
    window.clearTimeout(this.watchdog);
    if (code === SIGNED_OUT || code === NOT_THERE) {
      this.ended = true;
      emit(code === SIGNED_OUT ? "chat:signedout" : "chat:deleted");
      return;
    }
    const pause = this.pause();
    this.retry = window.setTimeout(() => this.connect(), pause);
    this.tellLater(Date.now() + pause);
  }

  pause() {
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.attempts++);
    return longest * (0.5 + Math.random() / 2);
  }

  /** A short loss is nobody's business. @param {number} retryAt */
  tellLater(retryAt) {
    if (this.attempts > 1 && this.notice === undefined) return emit("chat:connection", { online: false, retryAt });
    window.clearTimeout(this.notice);
    this.notice = window.setTimeout(() => {
      this.notice = undefined;
      if (!this.socket || this.socket.readyState !== WebSocket.OPEN) {
        emit("chat:connection", { online: false, retryAt });
      }
    }, NOTICE_MS);
  }

  /** Something tells that the network is there again. */
  hurry() {
    if (!this.socket && !this.ended) {
      this.attempts = 0;
      this.connect();
    }
  }
}

/** @type {Stream | null} */
let current = null;

/** What the page shows after it was read again. @param {string} run @param {number} after */
export function moveTo(run, after) {
  current?.moveTo(run, after);
}

export function start() {
  const conversation = document.getElementById("conversation");
  const thread = document.body.dataset.thread;
  if (!conversation || !thread) return;
  const { run = "", after = "0" } = conversation.dataset;
  const stream = new Stream(thread, { run, after: Number(after) });
  current = stream;
  window.addEventListener("online", () => stream.hurry());
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && stream.hurry());
  window.addEventListener("pagehide", () => stream.disconnect());
  window.addEventListener("pageshow", (event) => event.persisted && stream.connect());
  stream.connect();
}
