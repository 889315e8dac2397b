// Asks the worker, which can be stopped and started anew.

export class Engine {
  #worker = null;
  #waiting = new Map();
  #next = 1;

  constructor(ready) {
    this.#start(ready);
  }

  #start(ready) {
    this.#worker = new Worker("worker.js");
    this.#worker.onmessage = ({data}) => {
      if (data.ready) return ready(null);
      if (data.failed) return ready(data.failed);
      const resolve = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (resolve) resolve(JSON.parse(data.answer));
      if (data.dead) this.stop();
    };
    this.#worker.onerror = event => ready(event.message || "the worker does not load");
  }

  /// The answer to a request, both plain objects; one with `stopped` if stop() came before it.
  ask(request) {
    const id = this.#next++;
    return new Promise(resolve => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({id, request: JSON.stringify(request)});
    });
  }

  /// Ends whatever is computed. What was stepped through is lost.
  stop() {
    this.#worker.terminate();
    for (const resolve of this.#waiting.values()) resolve({error: "stopped", stopped: true});
    this.#waiting.clear();
    this.#start(() => {});
  }
}
