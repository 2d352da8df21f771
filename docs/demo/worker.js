"use strict";
// Runs the package, as plain Python, in a worker: no server, and no rule written a second time.

const READS = ["scene", "replay", "save", "hint"]; // what changes nothing of what there is to see

let python = null;
let table = null;

async function begin({ pyodide, sources, wish, query }) {
  importScripts(`${pyodide}pyodide.js`);
  python = await loadPyodide({ indexURL: pyodide, packages: ["numpy", "msgspec"] });
  python.unpackArchive(Uint8Array.from(atob(sources), (letter) => letter.charCodeAt(0)), "zip");
  const { Table } = python.pyimport("table_in_worker");
  table = Table((sight) => postMessage({ sight }), python.toPy(wish));
  answer({ path: "look", query });
}

function answer({ id, path, query, content }) {
  const text = table.ask(path, python.toPy(query), python.toPy(content));
  postMessage({ id, text });
  if (!READS.includes(path)) table.tell();
}

onmessage = async ({ data }) => {
  try {
    if (data.wish) await begin(data);
    else answer(data);
  } catch (error) {
    postMessage({ failure: String(error.message || error) });
  }
};
