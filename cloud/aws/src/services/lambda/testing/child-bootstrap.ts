/**
 * The program in the process of a function: loads the handler and responds to one event at a time over IPC. It is
 * written next to the function's files, so that it needs nothing of this package. That is why it reads `Date.now()`
 * itself: a process has real time only, and `speed` says how much of the cloud's passes meanwhile.
 */
export const childBootstrap = `
import { format } from 'node:util';
import { pathToFileURL } from 'node:url';

const send = (message) => new Promise((resolve) => process.send(message, resolve));
const levels = { log: 'INFO', info: 'INFO', debug: 'DEBUG', warn: 'WARN', error: 'ERROR', trace: 'TRACE' };
for (const [name, level] of Object.entries(levels))
  console[name] = (...args) => void process.send({ kind: 'log', level, message: format(...args) });

const described = (error) => ({
  errorType: error?.name ?? typeof error,
  errorMessage: error?.message ?? String(error),
  trace: error?.stack?.split('\\n') ?? [],
});

async function load() {
  const loaded = await import(pathToFileURL(process.env.FUNCTION_ENTRY));
  const path = process.env.FUNCTION_EXPORT.split('.');
  const found = path.reduce((at, name) => at?.[name] ?? at?.default?.[name], loaded);
  if (typeof found !== 'function')
    throw Object.assign(new Error(process.env._HANDLER + ' is undefined or not exported'), { name: 'Runtime.HandlerNotFound' });
  return found;
}

function call(handler, { event, context, remainingMs, speed }) {
  const startedAt = Date.now();
  return new Promise((resolve, reject) => {
    const done = (error, result) => (error === undefined || error === null ? resolve(result) : reject(error));
    const full = {
      ...context,
      getRemainingTimeInMillis: () => Math.max(0, remainingMs - (Date.now() - startedAt) * speed),
      done,
      succeed: resolve,
      fail: (error) => reject(error ?? new Error('handled')),
    };
    const result = handler(event, full, done);
    if (typeof result?.then === 'function') result.then(resolve, reject);
  });
}

let handler;
process.on('disconnect', () => process.exit(0));
process.on('message', async (request) => {
  process.env._X_AMZN_TRACE_ID = request.traceHeader;
  try {
    handler ??= await load();
    await send({ kind: 'result', id: request.id, result: (await call(handler, request)) ?? null });
  } catch (error) {
    await send({ kind: 'error', id: request.id, loading: handler === undefined, error: described(error) });
  }
});
`;
