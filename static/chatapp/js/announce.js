// @ts-check
/** What screen readers are told: `#status` in its own time, `#alert` at once. */

import { stateOf } from "./live_turn.js";
import { on } from "./signals.js";
import { sentences, word } from "./words.js";

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
  let { status = "", run: runId = "" } = document.getElementById("conversation")?.dataset ?? {};
  on("chat:status", (now) => {
    const isSame = now.status === status && now.runId === runId;
    if (status === "running" && !isSame) sayEnd(runId);
    if (now.status === "running" && !isSame) say(word("announce.started"));
    ({ status, runId } = now);
  });
  on("chat:connection", ({ online }) => say(word(online ? "announce.online" : "announce.offline")));
  on("chat:refused", ({ error, hint }) => put("alert", sentences(error, hint)));
}

/** @param {string} runId */
function sayEnd(runId) {
  const [state] = stateOf(document.getElementById(`turn-${runId}`)).split("_");
  if (ENDS.includes(state)) say(word(`announce.${state}`));
}

function speak() {
  const text = waiting.shift();
  clock = text === undefined ? 0 : setTimeout(speak, APART_MS);
  if (text !== undefined) put("status", text);
}

/** The same words again are news as well: a reader only hears of a change. @param {string} id @param {string} text */
function put(id, text) {
  const region = document.getElementById(id);
  if (!region) return;
  region.textContent = "";
  setTimeout(() => (region.textContent = text));
}
