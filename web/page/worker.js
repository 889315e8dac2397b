// The WebAssembly module, in a thread of its own so that the page stays alive while it computes. Requests come as
// {id, request}, answers go as {id, answer}: texts of JSON.
importScripts("gdr.js");

const ready = gdrModule();
ready.then(() => postMessage({ready: true}), error => postMessage({failed: String(error)}));

onmessage = async ({data}) => {
  const module = await ready;
  try {
    postMessage({id: data.id, answer: module.ask(data.request)});
  } catch (error) {
    // An invariant of the program is broken or memory has run out: this module is of no more use.
    postMessage({id: data.id, answer: JSON.stringify({error: "the emulator stopped: " + error}), dead: true});
  }
};
