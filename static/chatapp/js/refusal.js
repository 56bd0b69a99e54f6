// @ts-check
/** Why a command was refused, in words at the place where it was given. */

import { emit } from "./signals.js";
import { sentences, word } from "./words.js";

/** @param {Element | null | undefined} place @param {import("./http.js").Answer} answer */
export function refuseAt(place, { status, error, hint }) {
  if (status === 401) return emit("chat:signedout");
  if (status === 404) return emit("chat:deleted");
  const text = error ? sentences(error, hint) : word("action.unsent");
  const line = place?.querySelector(".refusal") ?? document.createElement("p");
  line.className = "refusal";
  line.textContent = text;
  place?.append(line);
  emit("chat:refused", { error: text, hint: "" });
}
