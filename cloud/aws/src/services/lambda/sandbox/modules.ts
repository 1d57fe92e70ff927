import { builtinModules, createRequire } from 'node:module';
import { posix } from 'node:path';
import { compileFunction } from 'node:vm';
import { LoadError, permissionDenied } from '../errors.ts';
import type { ExecutionEnvironment } from '../invocation/environment.ts';
import type { FunctionCode } from '../model.ts';
import { cfnResponse } from './cfn-response.ts';
import { seededCrypto } from './crypto.ts';
import { SandboxFiles } from './file-system.ts';
import { abortSignalOf, consoleOf, globalObject, performanceOf, processOf, virtualDate } from './globals.ts';
import { httpModules } from './http-modules.ts';
import names from './names.json' with { type: 'json' };
import { RealWork } from './real-work.ts';
import { refusedModule, replacedModule } from './refused.ts';
import { runtimeSdk } from './runtime-sdk.ts';
import { virtualTimers } from './timers.ts';
import { zlibOverWork } from './zlib.ts';

const realRequire = createRequire(import.meta.url);

/** Sockets, processes and threads: named by bundles when they load, never to be used. */
const refusedNames = names.refused;

type Exports = Record<string, unknown>;
type ModuleBody = (...args: unknown[]) => void;

/** The names that a program finds replaced, in the order in which they are given to its modules. */
const parameterNames = names.parameters;

/** Compiled once per package: a body is called again, with its own globals, in every environment. */
const compiled = new WeakMap<FunctionCode, Map<string, ModuleBody>>();

/** The CommonJS modules of one execution environment. */
export class Modules {
  readonly #code: FunctionCode;
  readonly #environment: ExecutionEnvironment;
  readonly #globals: Record<string, unknown>;
  readonly #replaced: ReadonlyMap<string, unknown>;
  readonly #loaded = new Map<string, { exports: Exports }>();

  constructor(environment: ExecutionEnvironment) {
    this.#environment = environment;
    this.#code = environment.selected.settings.code;
    const work = new RealWork(environment.aws.engine.clock);
    const timers = virtualTimers(environment.clock);
    const crypto = seededCrypto(environment.random.fork('crypto'), work);
    this.#globals = this.#makeGlobals(timers.functions, crypto.webcrypto);
    this.#replaced = this.#makeBuiltins(timers, crypto.module, work);
  }

  /** Loads a module of the package. */
  load(path: string): Exports {
    const known = this.#loaded.get(path);
    if (known !== undefined) return known.exports;
    const module = { exports: {} as Exports, id: path, filename: `/var/task/${path}`, loaded: false, children: [] };
    this.#loaded.set(path, module);
    if (path.endsWith('.json')) module.exports = JSON.parse(this.#text(path));
    else this.#evaluate(path, module);
    module.loaded = true;
    return module.exports;
  }

  #evaluate(path: string, module: { exports: Exports }): void {
    const require = this.#requireFrom(path, module);
    const dynamicImport = async (id: string) => namespaceOf(require(id));
    const fixed = [
      module.exports,
      require,
      module,
      `/var/task/${path}`,
      posix.dirname(`/var/task/${path}`),
      dynamicImport,
    ];
    const globals = parameterNames.slice(fixed.length).map((name) => this.#globals[name]);
    this.#body(path)(...fixed, ...globals);
  }

  #body(path: string): ModuleBody {
    const bodies = compiled.get(this.#code) ?? new Map<string, ModuleBody>();
    compiled.set(this.#code, bodies);
    const known = bodies.get(path);
    if (known !== undefined) return known;
    const body = this.#compile(path);
    bodies.set(path, body);
    return body;
  }

  #compile(path: string): ModuleBody {
    // A real `import()` would reach past the sandbox.
    const source = this.#text(path).replace(/(?<![.\w$'"`])import\(/g, '__import(');
    try {
      return compileFunction(source, parameterNames, { filename: `/var/task/${path}` }) as ModuleBody;
    } catch (error) {
      throw new LoadError('Runtime.UserCodeSyntaxError', `SyntaxError: ${(error as Error).message}${esmHint(source)}`, {
        cause: error,
      });
    }
  }

  #text(path: string): string {
    const bytes = this.#code.files.get(path);
    if (bytes === undefined) throw new LoadError('Runtime.ImportModuleError', `Error: Cannot find module '${path}'`);
    if (this.#code.unreadable.has(path)) throw permissionDenied(path);
    return Buffer.from(bytes).toString().replace(/^#!.*/, '');
  }

  #requireFrom(from: string, main: object) {
    const require = (id: string): Exports => {
      const name = id.replace(/^node:/, '');
      if (this.#replaced.has(name)) return this.#replaced.get(name) as Exports;
      if (id.startsWith('.') || id.startsWith('/')) return this.load(this.#resolve(from, id));
      if (builtinModules.includes(name)) return realRequire(id) as Exports;
      const sdk = runtimeSdk(id, this.#environment);
      if (sdk !== undefined) return sdk;
      throw moduleNotFound(id, from);
    };
    return Object.assign(require, { resolve: (id: string) => id, cache: {}, main });
  }

  #resolve(from: string, id: string): string {
    const base = posix.relative('/var/task', posix.resolve('/var/task', posix.dirname(from), id));
    const candidates = [base, `${base}.js`, `${base}.cjs`, `${base}.json`, `${base}/index.js`];
    const found = candidates.find((path) => this.#code.files.has(path));
    if (found === undefined) throw moduleNotFound(id, from);
    return found;
  }

  #makeGlobals(timers: Readonly<Record<string, unknown>>, webcrypto: unknown): Record<string, unknown> {
    const environment = this.#environment;
    const random = environment.random.fork('Math');
    const math = Object.create(Math, { random: { value: () => random.next() } });
    const globals: Record<string, unknown> = {
      ...timers,
      process: processOf(environment),
      console: consoleOf(environment),
      Date: virtualDate(environment.clock),
      Math: math,
      performance: performanceOf(environment),
      crypto: webcrypto,
      fetch: environment.fetch,
      AbortSignal: abortSignalOf(environment.clock),
    };
    globalObject(globals);
    return globals;
  }

  #makeBuiltins(timers: ReturnType<typeof virtualTimers>, crypto: unknown, work: RealWork): Map<string, unknown> {
    const environment = this.#environment;
    const { http, https } = httpModules({ http: environment.http, clock: environment.clock });
    const files = new SandboxFiles(this.#code).modules();
    const builtins = new Map<string, unknown>([
      ['http', http],
      ['https', https],
      ['fs', files.fs],
      ['fs/promises', files.promises],
      ['crypto', crypto],
      ['timers', { ...timers.functions, promises: timers.promises }],
      ['timers/promises', timers.promises],
      ['process', this.#globals.process],
      ['console', this.#globals.console],
      ['perf_hooks', replacedModule(realRequire('node:perf_hooks'), { performance: this.#globals.performance })],
      [
        'os',
        replacedModule(realRequire('node:os'), {
          homedir: () => '/home/sbx_user1051',
          hostname: () => 'localhost',
          tmpdir: () => '/tmp',
        }),
      ],
      ['zlib', zlibOverWork(work)],
      ...refusedNames.map((name): [string, unknown] => [name, refusedModule(name, realRequire(`node:${name}`))]),
    ]);
    if (this.#code.inline)
      builtins.set(
        'cfn-response',
        cfnResponse(https as never, (line) => environment.program('INFO', line)),
      );
    return builtins;
  }
}

function moduleNotFound(id: string, from: string): Error {
  const sdk = id.startsWith('@aws-sdk/')
    ? ' (the embedded cloud brings only clients of services that it has: bundle it into the function)'
    : '';
  return Object.assign(
    new LoadError(
      'Runtime.ImportModuleError',
      `Error: Cannot find module '${id}'${sdk}\nRequire stack:\n- /var/task/${from}`,
    ),
    {
      code: 'MODULE_NOT_FOUND',
    },
  );
}

const namespaceOf = (exports: Exports) => (exports?.__esModule === true ? exports : { ...exports, default: exports });

const esmHint = (source: string) =>
  /^\s*(import|export)\b/m.test(source)
    ? '. The embedded cloud runs CommonJS bundles in process: build this function with esbuild `format: "cjs"` (CDK: `bundling: { format: OutputFormat.CJS }`)'
    : '';
