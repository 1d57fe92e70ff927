import { LoadError } from '../errors.ts';
import type { ExecutionEnvironment } from '../invocation/environment.ts';
import type { FunctionContext, Program } from '../model.ts';
import { Modules } from '../sandbox/modules.ts';

type Done = (error?: unknown, result?: unknown) => void;
type NodeHandler = (event: unknown, context: FunctionContext, done: Done) => unknown;

/** Loads a function's own package into this process, shut off from its time, chance, network and files. */
export function loadBundle(environment: ExecutionEnvironment): Program {
  const { runtime, handler } = environment.selected.settings;
  if (!runtime.startsWith('nodejs'))
    throw new LoadError(
      'Runtime.Unmodelled',
      `the embedded cloud cannot run ${runtime} functions in process: inject a handler for ${environment.functionName}`,
    );
  const act = findHandler(new Modules(environment), environment, handler);
  return { invoke: (event, context) => callHandler(act, environment, event, context) };
}

function findHandler(modules: Modules, environment: ExecutionEnvironment, handler: string): NodeHandler {
  const [, file, path] = /^(.*?)\.([^/]+)$/.exec(handler) ?? [];
  if (file === undefined || path === undefined) throw new LoadError('Runtime.MalformedHandlerName', 'Bad handler');
  const found = path
    .split('.')
    .reduce<unknown>((at, name) => Reflect.get(Object(at), name), modules.load(entryOf(environment, file)));
  if (typeof found !== 'function')
    throw new LoadError('Runtime.HandlerNotFound', `${handler} is undefined or not exported`);
  return found as NodeHandler;
}

function entryOf(environment: ExecutionEnvironment, file: string): string {
  const { files } = environment.selected.settings.code;
  const found = [`${file}.js`, `${file}.cjs`].find((path) => files.has(path));
  if (found !== undefined) return found;
  if (files.has(`${file}.mjs`))
    throw new LoadError(
      'Runtime.UserCodeSyntaxError',
      `${file}.mjs is an ES module; the embedded cloud runs CommonJS bundles in process: build with esbuild \`format: "cjs"\` (CDK: \`bundling: { format: OutputFormat.CJS }\`)`,
    );
  throw new LoadError('Runtime.ImportModuleError', `Error: Cannot find module '${file}'`);
}

/** Async handlers return their result with a promise, others through the callback or `context.done`. */
function callHandler(act: NodeHandler, environment: ExecutionEnvironment, event: unknown, context: FunctionContext) {
  return new Promise((resolve, reject) => {
    const done: Done = (error, result) => (error === undefined || error === null ? resolve(result) : reject(error));
    const full = Object.assign(context, { done, succeed: resolve, fail: (error: unknown) => done(error ?? 'handled') });
    const result = act(event, full, done);
    if (result instanceof Promise || typeof (result as PromiseLike<unknown> | undefined)?.then === 'function')
      (result as Promise<unknown>).then(resolve, reject);
    else void whenQuiet(environment).then(() => resolve(null));
  });
}

/** How often is looked whether anything is still to come. */
const quietCheckMs = 50;

/** A handler that neither promises nor calls back returns null when its event loop is empty. */
async function whenQuiet(environment: ExecutionEnvironment): Promise<void> {
  do await environment.aws.engine.clock.sleep(quietCheckMs);
  while (environment.alive && environment.busy);
}
