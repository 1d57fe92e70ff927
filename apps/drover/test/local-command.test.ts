import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Beginning, Session } from '../../../packages/local/src/local/session.ts';
import { freePort } from './outside/local-process.ts';

const command = join(dirname(fileURLToPath(import.meta.url)), '../bin/drover.js');
const hour = 3_600_000;
const beginning: Beginning = {
  version: 1,
  seed: 'earlier',
  startedAt: Date.UTC(2026, 5, 1),
  settings: { jobsPerHour: 0, spot: 0 },
};

/** A folder with a session of an hour in which a job was queued. */
function earlierSession(): string {
  const state = mkdtempSync(join(tmpdir(), 'drover-state-'));
  const session = new Session(state);
  session.begin(beginning);
  const request = { name: 'queue-jobs', input: { count: 1, minutes: 5 } };
  session.note({ at: beginning.startedAt + hour, channel: 'control', request });
  session.reached(beginning.startedAt + 2 * hour);
  return state;
}

const read = (state: string, file: string) => readFileSync(join(state, file), 'utf8');

/** The real command, and Ctrl-C once it has said something. */
async function localUntil(said: RegExp, state: string, ...options: string[]) {
  const ports = ['--console-port', '--aws-port', '--platform-port'].map(async (name) => [name, await freePort()]);
  const search = ['--search-port', await freePort('127.0.1.1')];
  const named = [...(await Promise.all(ports)).flat(), ...search].map(String);
  const child = spawn(process.execPath, [command, 'local', '--state', state, ...named, ...options]);
  let output = '';
  const hear = (chunk: Buffer) => {
    const before = said.test(output);
    output += chunk.toString();
    if (!before && said.test(output)) child.kill('SIGINT');
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { code, output };
}

describe('drover local as a command', () => {
  it('--reset deletes the earlier state and starts a new session; Ctrl-C ends it with 0 and keeps its state', async () => {
    const state = earlierSession();
    const { code, output } = await localUntil(/Ctrl-C stops/, state, '--reset', '--seed', 'another');
    expect(output).not.toContain('resuming where');
    expect(code).toBe(0);
    const { beginning: fresh, inputs, endedAt } = new Session(state).read()!;
    expect(fresh).toMatchObject({ seed: 'another', settings: { jobsPerHour: 30 } });
    expect(inputs).toEqual([]);
    expect(endedAt).toBeGreaterThan(fresh.startedAt);
  }, 300_000);

  it('the earlier session is resumed without --reset; Ctrl-C before it is ready ends it with 130 and keeps the state', async () => {
    const state = earlierSession();
    const files = ['session.json', 'inputs.ndjson', 'clock'];
    const before = files.map((file) => read(state, file));
    const { code, output } = await localUntil(/resuming where/, state);
    expect(output).toContain('resuming where the last session ended (one input); --reset starts a new one');
    expect(output).not.toContain('ready');
    expect(code).toBe(130);
    expect(files.map((file) => read(state, file))).toEqual(before);
  }, 300_000);

  it('a session with too many inputs to replay is reported and a new one starts', async () => {
    const state = earlierSession();
    writeFileSync(join(state, 'inputs.ndjson'), `${JSON.stringify({ filler: 'x'.repeat(20 * 1024 ** 2) })}\n`);
    const { output } = await localUntil(/too many inputs/, state);
    expect(output).toContain('the last session has too many inputs to replay: this is a new one');
    expect(existsSync(join(state, 'inputs.ndjson'))).toBe(false);
  }, 300_000);
});
