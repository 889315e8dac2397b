// A kernel in the fragment of a link, which no server sees: `#kernel=NAME` for one that comes with gdr, else
// `#name=NAME&source=TEXT`, the text compressed as raw deflate in base64 for URLs.

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function linkOf(location, {name, source}) {
  const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(source));
  let bytes = "";  // piece by piece: a function takes some 100,000 arguments at most
  for (const byte of packed) bytes += String.fromCharCode(byte);
  const text = btoa(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  return `${location.origin}${location.pathname}#name=${encodeURIComponent(name)}&source=${text}`;
}

/// `{name, source}`, `{name}`, or null where the link holds no kernel that can be read.
export async function kernelFromLink(location) {
  const values = new URLSearchParams(location.hash.slice(1));
  if (values.has("kernel")) return {name: values.get("kernel")};
  if (!values.has("source")) return null;
  try {
    const packed = atob(values.get("source").replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(packed, c => c.charCodeAt(0));
    return {name: values.get("name") || "kernel.vsm", source: new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes))};
  } catch {
    return null;
  }
}
