// @ts-check
/** The page's own words, in the reader's language: the server writes them into `script[data-words]` as JSON. */

/** @type {Record<string, string> | undefined} */
let words;

function load() {
  words = {};
  for (const script of document.querySelectorAll("script[data-words]")) {
    Object.assign(words, JSON.parse(script.textContent || "{}"));
  }
  return words;
}

/**
 * The text of a key, with `{name}` filled in.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function word(key, values = {}) {
  const text = (words ?? load())[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** What there is of these, one after the other. @param {...(string | undefined)} texts */
export function sentences(...texts) {
  return texts.filter(Boolean).join(word("between"));
}

/** @param {number} value */
export function number(value) {
  return new Intl.NumberFormat(document.documentElement.lang || undefined).format(value);
}
