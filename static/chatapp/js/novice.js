// @ts-check
/** Whoever has sent less than three messages in this browser is told which key sends. */

import { recall, remember } from "./preferences.js";

const NOVICE = 3;

/** @param {string} user */
export function isNovice(user) {
  return sentBy(user) < NOVICE;
}

/** @param {string} user */
export function countMessage(user) {
  if (isNovice(user)) remember(keyOf(user), String(sentBy(user) + 1));
}

/** @param {string} user */
function sentBy(user) {
  return Number(recall(keyOf(user)) ?? 0);
}

/** @param {string} user */
function keyOf(user) {
  return `sent:${user}`;
}
