// @ts-check
/** Commands to the server: fetch with the CSRF token, and one shape for every way it can end. */

/**
 * `status` 0: the server was not reached. `error` and `hint` are the server's words, "" when it said none.
 * @typedef {{ok: boolean, status: number, data: any, error: string, hint: string}} Answer
 */

/**
 * @param {string} url
 * @param {Record<string, string>} [fields]
 * @returns {Promise<Answer>}
 */
export async function post(url, fields = {}) {
  const answer = await send(url, fields);
  if (answer.status !== 403 || !(await renewToken())) return answer;
  return send(url, fields);
}

/**
 * @param {string} url
 * @returns {Promise<string | null>} the HTML, or null when there is none to be had
 */
export async function getHtml(url) {
  try {
    const response = await fetch(url, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

/** The address of a thread, or of something below it. @param {string} thread @param {string} [path] */
export function threadUrl(thread, path = "") {
  const pattern = document.body.dataset.threadUrl ?? "";
  return pattern.replace("00000000-0000-0000-0000-000000000000", thread) + path;
}

/**
 * @param {string} url
 * @param {Record<string, string>} fields
 * @returns {Promise<Answer>}
 */
async function send(url, fields) {
  try {
    const response = await fetch(url, {
      method: "POST",
      body: new URLSearchParams(fields),
      credentials: "same-origin",
      headers: {
        Accept: "application/json",
        "X-CSRFToken": document.body.dataset.csrf ?? "",
        "X-Requested-With": "fetch",
      },
    });
    return await read(response);
  } catch {
    return { ok: false, status: 0, data: null, error: "", hint: "" };
  }
}

/**
 * @param {Response} response
 * @returns {Promise<Answer>}
 */
async function read(response) {
  let data = null;
  try {
    data = await response.json();
  } catch {
    // A proxy's own error page, or an empty answer.
  }
  return { ok: response.ok, status: response.status, data, error: data?.error ?? "", hint: data?.hint ?? "" };
}

/** Signing in again in another tab makes this page's token stale; a fresh page has the new one. */
async function renewToken() {
  const page = await getHtml(location.pathname);
  const token = page && new DOMParser().parseFromString(page, "text/html").body.dataset.csrf;
  if (!token || token === document.body.dataset.csrf) return false;
  document.body.dataset.csrf = token;
  return true;
}
