import { EventEmitter } from 'node:events';
import { format } from 'node:util';
import type { Clock } from '@drover/core';
import type { ExecutionEnvironment } from '../invocation/environment.ts';
import { replacedObject } from './refused.ts';

/** `Date` whose present moment comes from the environment's clock. */
export function virtualDate(clock: Clock): DateConstructor {
  const now = () => Math.floor(clock.now());
  const date: DateConstructor = new Proxy(Date, {
    construct: (target, args, created) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, created === date ? target : created),
    apply: () => new Date(now()).toString(),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key, target)),
  });
  return date;
}

/** `console` into the function's log. */
export function consoleOf(environment: ExecutionEnvironment): Console {
  const at =
    (level: string) =>
    (...args: unknown[]) =>
      environment.program(level, format(...args));
  const methods = {
    log: at('INFO'),
    info: at('INFO'),
    debug: at('DEBUG'),
    warn: at('WARN'),
    error: at('ERROR'),
    trace: at('TRACE'),
    assert: (holds: unknown, ...args: unknown[]) => {
      if (!holds) at('ERROR')(...args);
    },
  };
  const silent = () => {};
  return new Proxy(methods, { get: (target, key) => Reflect.get(target, key) ?? silent }) as unknown as Console;
}

const startTime = new WeakMap<ExecutionEnvironment, number>();

/** `performance` that runs on the environment's clock. */
export function performanceOf(environment: ExecutionEnvironment) {
  const origin = startTime.get(environment) ?? environment.clock.now();
  startTime.set(environment, origin);
  return replacedObject(performance, { now: () => environment.clock.now() - origin, timeOrigin: origin });
}

/** `process` of one environment: its own variables, output and end. */
export function processOf(environment: ExecutionEnvironment): NodeJS.Process {
  const events = new EventEmitter();
  const origin = environment.clock.now();
  const elapsedNs = () => BigInt(Math.round((environment.clock.now() - origin) * 1e6));
  const write = (text: unknown) => {
    environment.logs.raw(String(text));
    return true;
  };
  const hrtime = (before: [number, number] = [0, 0]) => {
    const ns = elapsedNs() - (BigInt(before[0]) * 1_000_000_000n + BigInt(before[1]));
    return [Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)];
  };
  const own: Record<string, unknown> = {
    env: environment.env,
    argv: ['/var/lang/bin/node', '/var/runtime/index.mjs'],
    execArgv: [],
    execPath: '/var/lang/bin/node',
    pid: 8,
    ppid: 1,
    title: 'node',
    exitCode: undefined,
    cwd: () => '/var/task',
    exit: (code = 0) => environment.exit(Number(code)),
    abort: () => environment.exit(134),
    kill: () => environment.exit(137),
    nextTick: process.nextTick.bind(process),
    uptime: () => (environment.clock.now() - origin) / 1_000,
    hrtime: Object.assign(hrtime, { bigint: elapsedNs }),
    emitWarning: (warning: unknown) =>
      write(`(node:8) ${warning instanceof Error ? warning.message : String(warning)}\n`),
    stdout: { write, isTTY: false, fd: 1 },
    stderr: { write, isTTY: false, fd: 2 },
    ...eventMethods(events),
  };
  return new Proxy(process, {
    get: (target, key) => {
      if (key in own) return own[key as string];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (_target, key, value) => {
      own[key as string] = value;
      return true;
    },
  });
}

/** Listeners of the program stay its own. */
function eventMethods(events: EventEmitter): Record<string, unknown> {
  const names = [
    'on',
    'once',
    'off',
    'addListener',
    'removeListener',
    'removeAllListeners',
    'emit',
    'listeners',
    'listenerCount',
  ];
  return Object.fromEntries(names.map((name) => [name, Reflect.get(events, name).bind(events)]));
}

/** `AbortSignal` whose `timeout` runs on the environment's clock. */
export function abortSignalOf(clock: Clock): typeof AbortSignal {
  const timeout = (delayMs: number) => {
    const controller = new AbortController();
    clock.after(delayMs, () =>
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    );
    return controller.signal;
  };
  return new Proxy(AbortSignal, {
    get: (target, key) => (key === 'timeout' ? timeout : Reflect.get(target, key, target)),
  });
}

/** `globalThis` of one environment: what the program sets there stays inside, and is read through `globalThis` only. */
export function globalObject(replaced: Record<string, unknown>): typeof globalThis {
  const scope: typeof globalThis = new Proxy(Object.create(null), {
    get: (_target, key) => (key in replaced ? replaced[key as string] : Reflect.get(globalThis, key, globalThis)),
    has: (_target, key) => key in replaced || Reflect.has(globalThis, key),
    set: (_target, key, value) => {
      replaced[key as string] = value;
      return true;
    },
    defineProperty: (_target, key, descriptor) => {
      replaced[key as string] = descriptor.get === undefined ? descriptor.value : descriptor.get.call(scope);
      return true;
    },
    deleteProperty: (_target, key) => delete replaced[key as string],
    getPrototypeOf: () => Object.prototype,
  });
  replaced.globalThis = scope;
  replaced.global = scope;
  return scope;
}
