// @ts-check
/**
 * The modules of the page talk to each other through these events on `document`, and through nothing else.
 *
 * chat:status      {status, runId}: what the server says of the thread: idle, running, waiting, interrupted, failed
 * chat:connection  {online, retryAt}: the socket is lost (retryAt: when it is tried again, in epoch ms) or back
 * chat:reachable   {}: the server answers again, as another socket has found out
 * chat:sending     {text, clientId}: a message is on its way; show it at once
 * chat:queueing    {text, clientId}: the same, while an answer is written: it will wait for its turn
 * chat:queued      {clientId}: it has not waited, or waits no more
 * chat:sent        {runId, text, clientId}: the server has stored it
 * chat:unsent      {text, clientId}: it did not arrive or was refused; the text is back in the composer
 * chat:refused     {error, hint}: why a command was refused, for the alert region
 * chat:restore     {text}: a discarded answer's message comes back into the composer
 * chat:deleted     {byUser}: the thread is gone; byUser: deleted on this page
 * chat:signedout   {}: the session has ended
 * chat:signedin    {}: there is another one: what comes in is followed again
 * chat:retitled    {thread, title}: a new title, wherever it came from
 * chat:frame       a frame of the socket, as the server sent it
 * chat:stale       {}: the conversation on the page may be an old one; read it again
 * chat:rerun       {runId}: a message was edited or an answer is written anew; this run takes their place
 * chat:toast       {text}: something that has no place of its own
 */

/**
 * @param {string} name
 * @param {Record<string, unknown>} [detail]
 */
export function emit(name, detail = {}) {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/**
 * @param {string} name
 * @param {(detail: any) => void} listener
 */
export function on(name, listener) {
  document.addEventListener(name, (event) => listener(/** @type {CustomEvent} */ (event).detail));
}
