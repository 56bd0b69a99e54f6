// @ts-check
/** The user's own socket: it only hints that something in the list changed. Lost, it comes back by itself. */

import { onAttention } from "./attention.js";
import { emit } from "./signals.js";

const SIGNED_OUT = 4401;
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15_000;

/**
 * @typedef {{type: string, threads?: {thread: string, state: string}[]}} Hint `snapshot`: all runs in flight
 * @param {(hint: Hint) => void} changed also called, with `reconnected`, when the socket is back after a loss
 */
export function watchUser(changed) {
  let wait = FIRST_WAIT;
  let wasLost = false;
  let isSignedOut = false;

  function connect() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/user/`);
    socket.addEventListener("open", () => {
      wait = FIRST_WAIT;
      if (!wasLost) return;
      changed({ type: "reconnected" });
      emit("chat:reachable");
    });
    socket.addEventListener("message", (event) => {
      const hint = JSON.parse(event.data);
      if (hint.type !== "heartbeat") changed(hint);
    });
    socket.addEventListener("close", (event) => {
      wasLost = true;
      isSignedOut = event.code === SIGNED_OUT;
      if (isSignedOut) return;
      setTimeout(connect, wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, LONGEST_WAIT);
    });
  }

  connect();
  onAttention(() => {
    if (isSignedOut) connect();
    isSignedOut = false;
  });
}
