// The module under Node.js: a request in each line of standard input, an answer in each line of standard output.
//     node answers.mjs SITE
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

// The module would fetch its code, which Node.js does from the network alone.
const site = resolve(process.argv[2]);
const gdrModule = createRequire(import.meta.url)(resolve(site, "gdr.js"));
const module = await gdrModule({wasmBinary: readFileSync(resolve(site, "gdr.wasm"))});
for await (const request of createInterface({input: process.stdin})) {
  process.stdout.write(module.ask(request) + "\n");
}
