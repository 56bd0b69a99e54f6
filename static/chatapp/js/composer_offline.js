// @ts-check
/** The seconds until the page tries to connect again, while it is not connected. */

const TICK_MS = 500;

export class OfflineClock {
  #show;
  #retryAt = 0;
  #clock = 0;

  /** @param {(seconds: number | null) => void} show told every half second; null once connected */
  constructor(show) {
    this.#show = show;
  }

  /**
   * @param {boolean} online
   * @param {number} [retryAt] epoch milliseconds
   */
  connectionIs(online, retryAt = 0) {
    this.#retryAt = retryAt;
    if (online === (this.#clock === 0)) return;
    clearInterval(this.#clock);
    this.#clock = online ? 0 : setInterval(() => this.#tick(), TICK_MS);
    if (online) this.#show(null);
    else this.#tick();
  }

  #tick() {
    this.#show(Math.max(0, Math.ceil((this.#retryAt - Date.now()) / 1000)));
  }
}
