// Help at a word: what the language server says of the word under the pointer or, with F1, at the cursor.

const uri = "file:///kernel.vsm";

export class Help {
  #version = 0;
  #id = 0;
  #text = null;
  #started = false;

  constructor(engine) {
    this.engine = engine;
  }

  /// The module was started anew and knows nothing.
  forget() {
    this.#started = false;
    this.#text = null;
  }

  async #send(message) {
    const answer = await this.engine.ask({call: "language", message: {jsonrpc: "2.0", ...message}});
    return (answer.messages ?? []).map(text => JSON.parse(text));
  }

  async #opened(text) {
    if (!this.#started) {
      this.#started = true;
      await this.#send({id: ++this.#id, method: "initialize", params: {capabilities: {}}});
      await this.#send({method: "initialized", params: {}});
      this.#text = text;
      await this.#send({method: "textDocument/didOpen", params: {textDocument: {uri, languageId: "gdr", version: ++this.#version, text}}});
    } else if (this.#text !== text) {
      this.#text = text;
      await this.#send({method: "textDocument/didChange",
                        params: {textDocument: {uri, version: ++this.#version}, contentChanges: [{text}]}});
    }
  }

  /// The text about the word there, or null. Lines and characters count from 0, as CodeMirror's.
  async at(text, {line, ch}) {
    await this.#opened(text);
    const id = ++this.#id;
    const replies = await this.#send({id, method: "textDocument/hover",
                                      params: {textDocument: {uri}, position: {line, character: ch}}});
    const contents = replies.find(reply => reply.id === id)?.result?.contents;
    return contents ? contents.value ?? String(contents) : null;
  }
}
