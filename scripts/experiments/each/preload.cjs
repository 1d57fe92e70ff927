// Loaded by NODE_OPTIONS into each process of Node below the runner: notes that it was, and the requests that it sees.
const folder = process.env.DROVER_EXPERIMENT_NODE;
const log = process.env.DROVER_EXPERIMENT_LOG;

if (folder && log && process.execPath.startsWith(folder)) {
  const { appendFileSync } = require('node:fs');
  const https = require('node:https');
  const { syncBuiltinESMExports } = require('node:module');
  const note = (seen) => appendFileSync(log, `${JSON.stringify({ ...seen, node: process.version })}\n`);
  note({ event: 'loaded' });
  for (const name of ['request', 'get']) {
    const original = https[name];
    https[name] = function (...args) {
      const [first, second] = args;
      const url = typeof first === 'string' ? new URL(first) : first instanceof URL ? first : undefined;
      const options = url === undefined ? first : second;
      // Without the query, which may have a signature.
      const path = String(options?.path ?? url?.pathname ?? '').split('?')[0];
      note({ event: 'request', host: options?.hostname ?? options?.host ?? url?.hostname, path });
      return original.apply(this, args);
    };
  }
  syncBuiltinESMExports();
}
