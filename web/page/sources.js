// Sources that were written here, kept in this browser: a text for each name.

const place = "gdr-sources";

export class Sources {
  #texts = new Map();

  constructor(storage) {
    this.storage = storage;
    try {
      const kept = JSON.parse(storage.getItem(place) ?? "{}");
      for (const [name, text] of Object.entries(kept)) if (typeof text === "string") this.#texts.set(name, text);
    } catch { /* nothing is kept, or not by this page */ }
  }

  get names() { return [...this.#texts.keys()].sort(); }
  get(name) { return this.#texts.get(name); }

  /// False if the browser keeps nothing, or no more.
  set(name, text) {
    this.#texts.set(name, text);
    return this.#write();
  }

  drop(name) {
    this.#texts.delete(name);
    this.#write();
  }

  #write() {
    try {
      this.storage.setItem(place, JSON.stringify(Object.fromEntries(this.#texts)));
      return true;
    } catch {
      return false;
    }
  }
}

/// The browser's storage, or one that forgets where there is none.
export function browserStorage() {
  try {
    return window.localStorage;
  } catch {
    return {getItem: () => null, setItem: () => { throw new Error("no storage"); }};
  }
}
