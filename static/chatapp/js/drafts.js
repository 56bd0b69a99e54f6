// @ts-check
/**
 * The unsent text of each chat, kept in this browser. While a message is on its way its draft also holds the
 * client_id, so that sending it again after a reload cannot send it twice.
 */

import { recall, remember } from "./preferences.js";

/** @typedef {{text: string, clientId: string}} Draft */

/** @param {string} user @param {string} thread "" for the empty page */
export function draftKey(user, thread) {
  return `draft:${user}:${thread || "new"}`;
}

/**
 * @param {string} key
 * @returns {Draft}
 */
export function loadDraft(key) {
  try {
    const draft = JSON.parse(recall(key) ?? "{}");
    return { text: String(draft.text ?? ""), clientId: String(draft.clientId ?? "") };
  } catch {
    return { text: "", clientId: "" };
  }
}

/**
 * @param {string} key
 * @param {string} text
 * @param {string} [clientId]
 */
export function saveDraft(key, text, clientId = "") {
  remember(key, text ? JSON.stringify({ text, clientId }) : null);
}
