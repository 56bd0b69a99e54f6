// @ts-check
/** What screen readers are told: `#status` in its own time, `#alert` at once. */

import { on } from "./signals.js";
import { word } from "./words.js";

const APART_MS = 1000;
const MOST = 3;
const ENDS = ["completed", "stopped", "interrupted", "failed"];

/** @type {string[]} */
const waiting = [];
let clock = 0;

/** A quiet word, at least a second after the last one. @param {string} text */
export function say(text) {
  if (waiting.at(-1) === text) return;
  waiting.push(text);
  if (waiting.length > MOST) waiting.shift();
  if (!clock) speak();
}

export function start() {
  let isLive = document.getElementById("conversation")?.dataset.status === "running";
  on("chat:frame", (frame) => {
    if (frame.type === "run_started") say(word("announce.started"));
    if (frame.type === "run_finished" && isLive && ENDS.includes(frame.status)) say(word(`announce.${frame.status}`));
    if (frame.type === "run_started" || frame.type === "run_finished") isLive = frame.type === "run_started";
  });
  on("chat:connection", ({ online }) => say(word(online ? "announce.online" : "announce.offline")));
  on("chat:refused", ({ error, hint }) => alarm([error, hint].filter(Boolean).join(" ")));
}

function speak() {
  const text = waiting.shift();
  clock = text === undefined ? 0 : setTimeout(speak, APART_MS);
  if (text !== undefined) put("status", text);
}

/** @param {string} text */
function alarm(text) {
  put("alert", text);
}

/** The same words again are news as well: a reader only hears of a change. @param {string} id @param {string} text */
function put(id, text) {
  const region = document.getElementById(id);
  if (!region) return;
  region.textContent = "";
  setTimeout(() => (region.textContent = text));
}
