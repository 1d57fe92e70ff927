import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { serve } from '@drover/cloud-engine';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ActsWorld, repository } from '../../src/scale-sets/acts-world.test-support.ts';

const folder = fileURLToPath(new URL('scaleset', import.meta.url));
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover', 'scaleset');
const program = join(cache, 'scaleset-outside');
const modules = { ...process.env, GOFLAGS: '-mod=readonly -buildvcs=false', GOTOOLCHAIN: 'local' };

/** Debian 12 has Go 1.19: where no newer one is found these tests are skipped, in CI too. */
function reasonToSkip(): string {
  const { stdout } = spawnSync('go', ['version'], { encoding: 'utf8' });
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  if (major === undefined) return 'skipped: there is no go here; install Go 1.25 or newer';
  if (Number(major) === 1 && Number(minor) < 25)
    return `skipped: go ${major}.${minor} is too old; install Go 1.25 or newer`;
  const { status, stderr } = spawnSync('go', ['mod', 'download'], { cwd: folder, env: modules, encoding: 'utf8' });
  return status === 0 ? '' : `skipped: its modules cannot be fetched: ${stderr.trim().split('\n').at(-1)}`;
}

const reason = reasonToSkip();

describe.skipIf(reason !== '')(`github.com/actions/scaleset v0.4.0 and its listener ${reason}`, () => {
  let child: ChildProcess | undefined;
  const closing: (() => Promise<void> | void)[] = [];

  beforeAll(() => {
    mkdirSync(cache, { recursive: true });
    const built = spawnSync('go', ['build', '-o', program, '.'], { cwd: folder, env: modules, encoding: 'utf8' });
    expect(built.stderr).toBe('');
  }, 600_000);

  afterEach(async () => {
    child?.kill('SIGKILL');
    for (const close of closing.splice(0)) await close();
  });

  it.each([
    { name: 'github.com', file: 'github', options: {} },
    { name: 'Enterprise Server', file: 'enterprise-server', options: { apiUrl: 'https://ghe.example.com/api/v3' } },
  ])('go through every call against the code host as $name', async ({ file, options }) => {
    const world = new ActsWorld(options);
    const served = await serve(world.handle);
    closing.push(() => world.close(), served.close);
    void world.letTimePass();
    const { host, token } = world;
    const app = world.installApp();
    child = spawn(program, { stdio: ['pipe', 'pipe', 'pipe'] });
    let complaints = '';
    child.stderr?.on('data', (text: Buffer) => {
      complaints += text.toString('utf8');
    });
    const ended = new Promise<number | null>((resolve) => child?.on('exit', resolve));
    const answer = (value: object) => child?.stdin?.write(`${JSON.stringify(value)}\n`);
    answer({
      url: served.url,
      organization: host.org,
      repository,
      enterprise: host.enterpriseName,
      token,
      appId: String(app.appId),
      installationId: app.installationId,
      privateKey: app.privateKey,
    });
    const steps: string[] = [];
    for await (const line of createInterface({ input: child.stdout! })) {
      const { step, value } = JSON.parse(line);
      steps.push(step);
      await world.play(step, value);
      answer({});
    }

    expect([await ended, complaints]).toEqual([0, '']);
    expect(steps.at(-1)).toBe('end');
    expect(host.registry.queue.counts).toMatchObject({ queued: 4, completed: 4, lost: 0 });
    expect(host.registry.runners).toEqual([]);
    await expect(`${world.requests.join('\n')}\n`).toMatchFileSnapshot(`scaleset/requests-${file}.txt`);
  });
});
