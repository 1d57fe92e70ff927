import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import ceilings from '../apps/functions/ceilings.json' with { type: 'json' };
import { buildFunctions } from '../scripts/build/all.ts';
import { atMost, type Figures, informative, median } from './figures.ts';
import { functionEnvironment, lifecycleEvent, type Stub, startStub } from './servers/functions-server.ts';

const rounds = 11;

/** Each function's bundle, and the state of the instance that its event is about. */
const functions = {
  registration: { bundle: 'registration', state: 'Pending:Wait' },
  deregistration: { bundle: 'deregistration', state: 'Terminating:Wait' },
  record_metric: { bundle: 'record-metric', state: 'InService' },
  /** Of a fleet in jobs mode; its window ends at once. */
  demand: { bundle: 'demand', state: 'InService' },
} as const;

/** Functions are started again after every pause of their environment: at most what three empty processes take. */
const limits = { ratio: 3 };

type Name = keyof typeof functions;
const names = Object.keys(functions) as Name[];

const bundleOf = (name: Name) =>
  fileURLToPath(new URL(`../apps/functions/dist/${functions[name].bundle}/index.js`, import.meta.url));

/** Does what Lambda does for a first invocation: loads the handler, gives it an event, waits for its end. */
const runtime = `require(process.argv[2]).handler(JSON.parse(process.argv[3])).then(
  () => { process.stdout.write(String(process.resourceUsage().maxRSS)); process.exit(0); },
  (error) => { console.error(error.message); process.exit(1); });`;

/** Size, first invocation and memory of the functions as they are deployed. */
export async function benchFunctions(): Promise<Figures> {
  await buildFunctions();
  const folder = mkdtempSync(join(tmpdir(), 'bench-functions-'));
  try {
    writeFileSync(join(folder, 'runtime.cjs'), runtime);
    writeFileSync(join(folder, 'empty.cjs'), '');
    // As Lambda unpacks them: away from our package.json, which would make them ES modules.
    for (const name of names) copyFileSync(bundleOf(name), join(folder, `${name}.js`));
    return { ...sizes(), ...(await coldStarts(folder)), ...(await memory(folder)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sizes(): Figures {
  const size = (name: Name) => gzipSync(readFileSync(bundleOf(name)), { level: 9 }).length;
  return Object.fromEntries(
    names.map((name) => [
      `functions.${name}.gzip_bytes`,
      atMost(size(name), ceilings[functions[name].bundle], 'bytes'),
    ]),
  );
}

/** From the start of a process to the end of its first invocation, against a process that does nothing at all. */
async function coldStarts(folder: string): Promise<Figures> {
  const stubs = await Promise.all(
    names.map((name) => startStub({ runners: 1, state: functions[name].state, remembers: name === 'demand' })),
  );
  const times = new Map<string, number[]>();
  const note = (name: string, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);
  for (let round = 0; round < rounds; round++) {
    note('empty', (await run([join(folder, 'empty.cjs')], {})).ms);
    for (const [index, name] of names.entries()) note(name, (await invoke(folder, name, stubs[index]!, 1)).ms);
  }
  for (const stub of stubs) stub.close();
  const time = (name: string) => median(times.get(name)!);
  const ratio = (name: string) => Math.round((time(name) / time('empty')) * 100) / 100;
  return {
    ...Object.fromEntries(
      names.map((name) => [
        `functions.${name}.cold_ratio`,
        atMost(ratio(name), limits.ratio, 'x an empty Node process'),
      ]),
    ),
    'functions.empty_process': informative(Math.round(time('empty')), 'ms'),
  };
}

/**
 * The peak of a metric tick that reads ten thousand runners, page by page, on as many instances: the larger one of the first
 * tick of a fleet and of a later one, which also has the list of before in its memory.
 */
async function memory(folder: string): Promise<Figures> {
  const runners = 10_000;
  const stub = await startStub({ runners, state: 'InService', remembers: true });
  const peaksKb: number[] = [];
  for (let tick = 0; tick < 2; tick++)
    peaksKb.push(Number((await invoke(folder, 'record_metric', stub, runners)).output));
  stub.close();
  return { 'functions.record_metric.rss_10000': atMost(Math.round(Math.max(...peaksKb) / 1024), 128, 'MB') };
}

const invoke = (folder: string, name: Name, stub: Stub, runners: number) =>
  run(
    [join(folder, 'runtime.cjs'), join(folder, `${name}.js`), JSON.stringify(lifecycleEvent(runners))],
    functionEnvironment(stub.url),
  );

async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...env } });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  const [code] = (await once(child, 'exit')) as [number];
  const ms = performance.now() - startedAt;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return { ms, output: output.trim().split('\n').at(-1)! };
}
