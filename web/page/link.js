// Work in the fragment of a link, which no server sees, and in files: the source with its name, data, packing and the
// commands that stepped to where the debugger stands. In a link it is `#work=`, compressed with a checksum [RFC 1950] in
// base64 for URLs. `#kernel=NAME` names a kernel of gdr, `#exercise=NAME` an exercise. Links of older pages have
// `#name=NAME&source=TEXT`, compressed without a checksum.

const version = 1;
const most = 8 << 20;  // bytes of unpacked work: a link must not fill the memory

async function through(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > most) {
      reader.cancel();
      throw new Error(`it holds more than ${most >> 20} MB`);
    }
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function base64(bytes) {
  let text = "";  // piece by piece: a function takes some 100,000 arguments at most
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
const fromBase64 = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));

const text = value => typeof value === "string";

/// Work as it is in a link or a file, with what is missing filled in. Throws if it is none.
export function workFrom(json) {
  const work = JSON.parse(json);
  if (work === null || typeof work !== "object" || !text(work.source)) throw new Error("it holds no source");
  if (work.version > version) throw new Error("a newer page has made it");
  const list = Array.isArray(work.commands) ? work.commands.filter(text) : [];
  const data = work.data !== null && typeof work.data === "object" ? work.data : {};
  return {name: text(work.name) ? work.name : "kernel.vsm", source: work.source, data, commands: list,
          schedule: text(work.schedule) ? work.schedule : "none", effort: Number.isInteger(work.effort) ? work.effort : 2,
          exercise: text(work.exercise) ? work.exercise : ""};
}

export const textOfWork = work => JSON.stringify({version, ...work});

export async function linkOf(location, work) {
  const packed = await through(new CompressionStream("deflate"), new TextEncoder().encode(textOfWork(work)));
  return `${location.origin}${location.pathname}#work=${base64(packed)}`;
}

/// `{work}`, `{kernel}`, `{exercise}`, `{damaged}` with a reason, or `{}` where the link holds nothing of this page.
export async function fromLink(location) {
  const values = new URLSearchParams(location.hash.slice(1));
  if (values.has("kernel")) return {kernel: values.get("kernel")};
  if (values.has("exercise")) return {exercise: values.get("exercise")};
  const decode = async (name, format) =>
    new TextDecoder("utf-8", {fatal: true}).decode(await through(new DecompressionStream(format), fromBase64(values.get(name))));
  try {
    if (values.has("work")) return {work: workFrom(await decode("work", "deflate"))};
    if (values.has("source")) {
      const source = await decode("source", "deflate-raw");
      return {work: workFrom(JSON.stringify({name: values.get("name") || "kernel.vsm", source}))};
    }
  } catch (error) {
    return {damaged: error instanceof Error && error.message.startsWith("it ") ? error.message : "a part of it is missing or changed"};
  }
  return {};
}
