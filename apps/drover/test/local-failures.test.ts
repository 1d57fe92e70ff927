import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Served, serve } from '@drover/cloud-engine';
import { afterEach, describe, expect, it } from 'vitest';
import { requirePorts } from '../../../packages/local/src/local/http/open-ports.ts';
import { requireNode } from '../../../packages/local/src/local/options.ts';
import { Session } from '../../../packages/local/src/local/session.ts';
import { noteRunning } from '../../../packages/local/src/local/travel/running.ts';

const command = join(dirname(fileURLToPath(import.meta.url)), '../bin/drover.js');
const newFolder = () => mkdtempSync(join(tmpdir(), 'drover-state-'));
const opened: Served[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

/** A port that is taken, or that was free a moment ago. */
async function port(what: 'taken' | 'free', host = '127.0.0.1'): Promise<number> {
  const server = await serve(async () => ({ status: 204, headers: {}, body: '' }), { host });
  if (what === 'taken') opened.push(server);
  else await server.close();
  return server.port;
}

/** The real command; it must have failed before anything is deployed. */
const local = (...options: string[]) => localWith('', ...options);

function localWith(
  nodeOptions: string,
  ...options: string[]
): { readonly code: number | null; readonly stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [command, 'local', ...options], {
    encoding: 'utf8',
    timeout: 300_000,
    env: { ...process.env, NODE_OPTIONS: nodeOptions },
  });
  return { code: status, stderr };
}

/** At its end the process says how many modules of CDK it has loaded. */
function tellsLoaded(): string {
  const file = join(newFolder(), 'loaded.cjs');
  const count = "Object.keys(require.cache).filter((path) => path.includes('aws-cdk-lib')).length";
  writeFileSync(file, `process.on('exit', () => process.stderr.write('modules of CDK: ' + ${count}));`);
  return file;
}

describe('problems at the start of drover local', () => {
  it.each([
    ['console', '--console-port'],
    ['aws', '--aws-port'],
    ['platform', '--platform-port'],
    ['search', '--search-port'],
  ] as const)('names the option of the %s port when that port is taken', async (which, option) => {
    const free = { console: await port('free'), aws: await port('free'), platform: await port('free') };
    const search = await port('free', '127.0.1.1');
    const taken = await port('taken', which === 'search' ? '127.0.1.1' : '127.0.0.1');
    await expect(requirePorts({ ...free, search, [which]: taken })).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^port ${taken} for .* is taken$`)),
      remedy: expect.stringContaining(option),
    });
  });

  it('the port check leaves the ports free', async () => {
    const ports = { console: await port('free'), aws: await port('free'), platform: await port('free') };
    const search = await port('free', '127.0.1.1');
    await requirePorts({ ...ports, search });
    await requirePorts({ ...ports, search });
  });

  it('a port in use ends the command with exit code 1 and one line, before anything is deployed', async () => {
    const taken = await port('taken');
    const { code, stderr } = local('--console-port', String(taken), '--state', newFolder());
    expect(stderr).toMatch(
      /^drover: port \d+ for the console is taken; stop what listens there, .*--console-port.*\n$/,
    );
    expect(code).toBe(1);
  }, 300_000);

  it('a damaged state is refused with the remedy --reset, which starts a new session', async () => {
    const state = newFolder();
    writeFileSync(join(state, 'session.json'), '{"version":');
    const { code, stderr } = local(...(await freePorts()), '--state', state);
    expect(stderr).toMatch(/^drover: the state in .* is damaged \(.*\); start a new session with --reset\n$/);
    expect(code).toBe(1);
    const session = new Session(state);
    session.clear();
    expect(session.read()).toBeUndefined();
  }, 300_000);

  it('another --mode than that of the last session is refused with the remedy --reset', async () => {
    const state = newFolder();
    new Session(state).begin({
      version: 1,
      seed: 's',
      startedAt: 0,
      settings: { mode: 'idle', deployment: 'example' },
    });
    const { code, stderr } = local(...(await freePorts()), '--state', state, '--mode', 'jobs');
    expect(stderr).toContain('the fleet of the last session scales on idle; start a new session with --reset');
    expect(code).toBe(1);
  }, 300_000);

  it.each([
    ['a mistake', 'platform_org: example-org\nasg_max: 3\n', /asg_max: there is no such input/],
    ['the inputs of a search cluster', 'cluster_name: logs\n', /configures a search cluster.*; give it with --cluster/],
  ])(
    'a file for --fleet with %s is refused before --reset touches the last session, and before CDK is loaded',
    async (_what, text, reason) => {
      const state = newFolder();
      const session = new Session(state);
      session.begin({ version: 1, seed: 's', startedAt: 0, settings: { mode: 'idle', deployment: 'example' } });
      const file = join(state, 'fleet.yaml');
      writeFileSync(file, text);
      const asked = [...(await freePorts()), '--state', state, '--reset', '--fleet', file];
      const { code, stderr } = localWith(`--require ${tellsLoaded()}`, ...asked);
      expect(stderr).toMatch(reason);
      expect(stderr).toMatch(/modules of CDK: 0$/);
      expect(code).toBe(1);
      expect(new Session(state).read()?.beginning.seed).toBe('s');
    },
    300_000,
  );

  it('a second drover local in the same folder learns where the first one is, whatever its ports', async () => {
    const state = newFolder();
    const page = await serve(async () => ({ status: 200, headers: {}, body: '<title>Drover local</title>' }));
    opened.push(page);
    noteRunning(state, page.url);
    const ports = { console: await port('free'), aws: await port('free'), platform: await port('free') };
    const start = () => requirePorts({ ...ports, search: 9 }, state);
    await expect(start()).rejects.toThrow(`drover local already runs here: ${page.url} (pid ${process.pid})`);
  });

  it.skipIf(!existsSync('/proc/self'))('a state folder below /proc is refused at once (skipped without /proc)', () => {
    expect(() => new Session('/proc/nope/state')).toThrow(/cannot be written/);
  });

  it.each([
    ['inputs.ndjson', '{"at":'],
    ['clock', 'soon'],
  ])('finds damage in %s too', (file, text) => {
    const state = newFolder();
    const session = new Session(state);
    session.begin({ version: 1, seed: 's', startedAt: 0, settings: {} });
    writeFileSync(join(state, file), text);
    expect(() => session.read()).toThrow(/is damaged/);
  });

  it.skipIf(process.getuid?.() === 0)(
    'names a state folder that may not be written (skipped for root: root may)',
    () => {
      const state = newFolder();
      chmodSync(state, 0o500);
      expect(() => new Session(state)).toThrow(/cannot be written/);
      expect(() => new Session(join(state, 'deeper'))).toThrow(/cannot be written/);
    },
  );

  it('a state folder that cannot be created is named in the error', () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    expect(() => new Session(join(file, 'state'))).toThrow(/cannot be written/);
  });

  it('a Node.js version that is too old is refused', () => {
    for (const version of ['18.20.8', '20.18.3', '20.0.0']) expect(() => requireNode(version)).toThrow('is too old');
    for (const version of ['20.19.0', '22.0.0', '24.1.0']) expect(() => requireNode(version)).not.toThrow();
  });
});

async function freePorts(): Promise<string[]> {
  const search = ['--search-port', String(await port('free', '127.0.1.1'))];
  const names = ['--console-port', '--aws-port', '--platform-port'];
  const ports = await Promise.all(names.map(async (name) => [name, String(await port('free'))]));
  return [...ports.flat(), ...search];
}
