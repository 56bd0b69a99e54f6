// @ts-check
/** The user's own socket: it only hints that something in the list changed. Lost, it comes back by itself. */

const SIGNED_OUT = 4401;
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30_000;

/**
 * @param {() => void} changed called for each hint, and when the socket is back after a loss
 */
export function watchUser(changed) {
  let wait = FIRST_WAIT;
  let wasLost = false;

  function connect() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/user/`);
    socket.addEventListener("open", () => {
      wait = FIRST_WAIT;
      if (wasLost) changed();
    });
    socket.addEventListener("message", (event) => {
      if (JSON.parse(event.data).type !== "heartbeat") changed();
    });
    socket.addEventListener("close", (event) => {
      wasLost = true;
      if (event.code === SIGNED_OUT) return;
      setTimeout(connect, wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, LONGEST_WAIT);
    });
  }

  connect();
}
