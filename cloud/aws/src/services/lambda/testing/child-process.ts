import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LoadError, permissionDenied } from '../errors.ts';
import type { ExecutionEnvironment } from '../invocation/environment.ts';
import type { FunctionContext, FunctionError, Program } from '../model.ts';
import { childBootstrap } from './child-bootstrap.ts';

export interface ProcessOptions {
  /** The address of the embedded cloud: given to the function as `AWS_ENDPOINT_URL`. */
  readonly endpointUrl: string;
  /** More environment variables for every function, e.g. a certificate bundle. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The Node that runs them. @default this one */
  readonly node?: string;
}

type FromChild =
  | { readonly kind: 'log'; readonly level: string; readonly message: string }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: FunctionError };

/** Loads functions into processes of their own, one per environment: for the real and the scaled clock. */
export const loadIntoProcess =
  (options: ProcessOptions) =>
  (environment: ExecutionEnvironment): Program => {
    const directory = unpack(environment);
    const child = start(environment, directory, options);
    const calls = new Calls(environment, child);
    return {
      invoke: (event, context) => calls.invoke(event, context),
      stop: () => {
        child.kill('SIGKILL');
        rmSync(directory, { recursive: true, force: true });
      },
    };
  };

function unpack(environment: ExecutionEnvironment): string {
  const directory = mkdtempSync(join(tmpdir(), `function-${environment.functionName.slice(0, 40)}-`));
  for (const [path, bytes] of environment.selected.settings.code.files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), bytes);
  }
  writeFileSync(join(directory, '__bootstrap.mjs'), childBootstrap);
  return directory;
}

function start(environment: ExecutionEnvironment, directory: string, options: ProcessOptions): ChildProcess {
  const [entry, path] = entryOf(environment, directory);
  const child = spawn(options.node ?? process.execPath, [join(directory, '__bootstrap.mjs')], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...environment.env,
      LAMBDA_TASK_ROOT: directory,
      AWS_ENDPOINT_URL: options.endpointUrl,
      ...options.environment,
      FUNCTION_ENTRY: entry,
      FUNCTION_EXPORT: path,
    },
  });
  child.stdout?.on('data', (text) => environment.logs.raw(String(text)));
  child.stderr?.on('data', (text) => environment.logs.raw(String(text)));
  child.on('exit', (code, signal) =>
    environment.processEnded(signal === null ? `exit status ${code}` : `signal: ${signal}`),
  );
  return child;
}

function entryOf(environment: ExecutionEnvironment, directory: string): [string, string] {
  const { handler, code, runtime } = environment.selected.settings;
  const [, file = '', path = ''] = /^(.*?)\.([^/]+)$/.exec(handler) ?? [];
  const found = [`${file}.js`, `${file}.mjs`, `${file}.cjs`].find((name) => code.files.has(name));
  if (found === undefined || !runtime.startsWith('nodejs'))
    throw new LoadError('Runtime.ImportModuleError', `Error: Cannot find module '${file}'`);
  if (code.unreadable.has(found)) throw permissionDenied(found);
  return [join(directory, found), path];
}

/** Events on their way to the process and responses on their way back. */
class Calls {
  readonly #environment: ExecutionEnvironment;
  readonly #child: ChildProcess;
  readonly #open = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #nextId = 0;

  constructor(environment: ExecutionEnvironment, child: ChildProcess) {
    this.#environment = environment;
    this.#child = child;
    child.on('message', (message: FromChild) => this.#receive(message));
  }

  invoke(event: unknown, context: FunctionContext): Promise<unknown> {
    const { clock } = this.#environment.aws.engine;
    const id = this.#nextId++;
    const speed = 'speed' in clock ? Number(clock.speed) : 1;
    const { getRemainingTimeInMillis, ...plain } = context;
    const traceHeader = this.#environment.env._X_AMZN_TRACE_ID;
    this.#child.send({ id, event, context: plain, remainingMs: getRemainingTimeInMillis(), speed, traceHeader });
    return new Promise((resolve, reject) => this.#open.set(id, { resolve, reject }));
  }

  #receive(message: FromChild): void {
    if (message.kind === 'log') {
      this.#environment.program(message.level, message.message);
      return;
    }
    const open = this.#open.get(message.id);
    this.#open.delete(message.id);
    if (message.kind === 'result') open?.resolve(message.result);
    else open?.reject(asError(message.error));
  }
}

const asError = ({ errorType, errorMessage, trace }: FunctionError): Error =>
  Object.assign(new Error(errorMessage), { name: errorType, stack: (trace ?? []).join('\n') });
