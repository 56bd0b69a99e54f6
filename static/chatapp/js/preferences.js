// @ts-check
/** What is remembered in this browser: cookies for what the server must render, local storage for the rest. */

const YEAR = 60 * 60 * 24 * 365;

/**
 * @param {string} name
 * @param {string} value "" removes it
 */
export function setCookie(name, value) {
  const secure = location.protocol === "https:" ? "; secure" : "";
  const age = value ? YEAR : 0;
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=${age}; samesite=lax${secure}`;
}

/** @param {string} name */
export function getCookie(name) {
  const pair = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return pair ? decodeURIComponent(pair.slice(name.length + 1)) : "";
}

/**
 * Null when nothing is stored, or storage is switched off.
 * @param {string} key
 */
export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string | null} value null removes it
 */
export function remember(key, value) {
  if (store(key, value)) return;
  // Switched off: the page works without it. Full: rather nothing than what it was before, and rather this than others like it.
  for (const other of [key, ...keysLike(key)]) if (store(other, null) && store(key, value)) return;
}

/** @param {string} key @param {string | null} value */
function store(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} key */
function keysLike(key) {
  try {
    const kind = key.slice(0, key.indexOf(":") + 1) || key;
    return Object.keys(localStorage).filter((other) => other.startsWith(kind));
  } catch {
    return [];
  }
}
