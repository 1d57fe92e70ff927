import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchProgram } from '@drover/adapters/aws';
import { type Served, serve } from '@drover/cloud-engine';
import { facts as names } from '@drover/core/names/search-cluster';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { fileIn } from '../../src/boot/user-data.test-support.ts';

const python = outsideClient('python3', 'apt-get install python3');
const source = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The boot script in the user data of release 0.1.0. */
function releasedBoot(): string {
  const folder = source('../simulation/test/fixtures/release-0.1.0/search-cluster');
  const file = readdirSync(folder).find((name) => name.endsWith('.template.json'))!;
  const { Resources } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const template = Object.values<{ Type: string; Properties: never }>(Resources).find(
    ({ Type }) => Type === 'AWS::EC2::LaunchTemplate',
  )!;
  const { LaunchTemplateData } = template.Properties as {
    LaunchTemplateData: { UserData: { 'Fn::Base64': { 'Fn::Join': [string, unknown[]] } } };
  };
  const text = LaunchTemplateData.UserData['Fn::Base64']['Fn::Join'][1]
    .map((part) => (typeof part === 'string' ? part : 'eu-west-1'))
    .join('');
  return fileIn(text, '/opt/drover/boot.py')!;
}

describe.skipIf(python.missing)(`software by a pointer, with real Python ${python.reason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'software-'));
  const home = join(folder, 'opt');
  const factsFile = join(folder, 'custom.json');
  const objects = new Map<string, Uint8Array>();
  let s3: Served;
  let metadata: Served;

  beforeAll(async () => {
    s3 = await serve(async ({ path, headers }) => {
      const body = objects.get(path);
      if (!/Credential=AKID.*\/s3\/aws4_request/.test(headers.authorization ?? ''))
        return { status: 403, headers: {}, body: '' };
      return body === undefined ? { status: 404, headers: {}, body: '' } : { status: 200, headers: {}, body };
    });
    const held = JSON.stringify({ AccessKeyId: 'AKID', SecretAccessKey: 'secret', Token: 'token' });
    metadata = await serve(async ({ path }) => ({
      status: 200,
      headers: {},
      body: path.endsWith('/security-credentials/') ? 'role' : path.endsWith('/role') ? held : 'token',
    }));
  });
  afterAll(async () => {
    await s3.close();
    await metadata.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    rmSync(home, { recursive: true, force: true });
    mkdirSync(join(home, 'bin'), { recursive: true });
    writeFileSync(join(home, 'bin/cluster-cli'), 'old');
    const drover = {
      region: 'eu-west-1',
      metadata: metadata.url,
      home,
      patience: 0,
      role: 'search_data',
      packages: ['jq'],
      software_pointer: `${s3.url}/state/software/current.json`,
      launch: { endpoint: `${s3.url}/` },
    };
    writeFileSync(
      factsFile,
      JSON.stringify({
        drover,
        elasticsearch: { version: '8.19.21', state_bucket: 'state', master_url: 'https://newest', plugins: ['old'] },
      }),
    );
    publish();
  });

  /** An archive with the program that takes it, and the pointer to it. */
  function publish(sha256?: string, change: object = {}): void {
    mkdirSync(join(folder, 'made/bin'), { recursive: true });
    writeFileSync(join(folder, 'made/bin/cluster-cli'), 'new');
    writeFileSync(join(folder, 'made/bin/take-software'), readFileSync(source('src/boot/bin/take-software')), {
      mode: 0o755,
    });
    for (const name of ['configure', 'abandon-launch'])
      writeFileSync(join(folder, 'made/bin', name), '#!/bin/sh\n', { mode: 0o755 });
    mkdirSync(join(folder, 'made/node/bin'), { recursive: true });
    writeFileSync(join(folder, 'made/node/bin/node'), '#!/bin/sh\n', { mode: 0o755 });
    execFileSync('tar', ['-cf', join(folder, 'made.tar'), '-C', join(folder, 'made'), 'bin', 'node']);
    const archive = readFileSync(join(folder, 'made.tar'));
    const sum = createHash('sha256').update(archive).digest('hex');
    objects.set(`/state/software/${sum}`, archive);
    const archives = [{ key: `software/${sum}`, sha256: sha256 ?? sum, prefix: '', into: '' }];
    const pointer = { version: '0.3.0-dev', digest: 'd1', archives, facts, elasticsearchVersion: '9.5.3', ...change };
    objects.set('/state/software/current.json', Buffer.from(JSON.stringify({ proven: true, ...pointer })));
  }
  /** The settings of the stack, which the pointer brings. */
  const facts = {
    search_data: {
      drover: { packages: [], programs_from_packages: true },
      elasticsearch: { heap_max_gib: 8, settings: { 'a.b': 1 }, master_url: 'https://of-the-pointer' },
    },
  };
  const factsNow = () => JSON.parse(readFileSync(factsFile, 'utf8'));

  const run = (program: string, words: readonly string[]) =>
    new Promise<{ code: number | null; said: string }>((resolve) => {
      const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data) => {
          said += data;
        });
      child.once('close', (code) => resolve({ code, said }));
    });
  const fetchNext = (digest = 'd1') =>
    run(python.path, [
      '-c',
      fetchProgram(digest)
        .replaceAll('/opt/drover', home)
        .replaceAll(names.files[0], factsFile)
        .replaceAll(', 300)', ', 0)'),
    ]);
  const program = () => readFileSync(join(home, 'bin/cluster-cli'), 'utf8');

  it.each([
    ['this release', () => readFileSync(source('src/boot/boot.py'), 'utf8')],
    ['release 0.1.0', releasedBoot],
  ])('a node with the boot script of %s fetches, checks and takes the software of a roll', async (_release, boot) => {
    writeFileSync(join(home, 'boot.py'), boot());
    const fetched = await fetchNext();
    expect(fetched).toEqual({ code: 0, said: expect.stringContaining('is installed') });
    expect([program(), existsSync(join(home, 'next/bin/take-software'))]).toEqual(['old', true]);

    const taken = await run(join(home, 'next/bin/take-software'), [join(home, 'next'), factsFile, home]);
    expect(taken).toEqual({ code: 0, said: '' });
    expect(program()).toBe('new');
    expect(JSON.parse(readFileSync(join(home, 'software.json'), 'utf8'))).toMatchObject({
      version: '0.3.0-dev',
      digest: 'd1',
    });
    expect(factsNow()).toMatchObject({ drover: { role: 'search_data', packages: [], program_version: '0.3.0~dev' } });
    // Of the launch only the version and the bucket stay.
    expect(factsNow().elasticsearch).toEqual({
      version: '8.19.21',
      state_bucket: 'state',
      ...facts.search_data.elasticsearch,
    });
    expect(existsSync(join(home, 'software.json.next'))).toBe(false);
  });

  it('an archive with another SHA-256 and a pointer that has changed meanwhile leave a node as it is', async () => {
    writeFileSync(join(home, 'boot.py'), readFileSync(source('src/boot/boot.py')));
    expect(await fetchNext('d0')).toEqual({
      code: 1,
      said: expect.stringContaining('the software is to be d1 by now, not d0'),
    });
    publish('0'.repeat(64));
    expect(await fetchNext()).toEqual({ code: 1, said: expect.stringMatching(/its SHA-256 is \w+, expected is 0000/) });
    expect(program()).toBe('old');
  });

  it.each([
    ['is proven', {}, 'd1'],
    ['is not proven', { digest: 'd2', proven: false }, 'd1'],
  ])('a new instance whose pointer %s takes the software that every node has had', async (_state, change, digest) => {
    if ('digest' in change) {
      const { proven: _, ...before } = JSON.parse(Buffer.from(objects.get('/state/software/current.json')!).toString());
      publish('0'.repeat(64), { ...change, before });
    }
    writeFileSync(join(home, 'boot.py'), readFileSync(source('src/boot/boot.py')));
    const marks = { marks: join(folder, 'run'), instance: join(folder, 'instance') };
    const facts = JSON.parse(readFileSync(factsFile, 'utf8'));
    writeFileSync(factsFile, JSON.stringify({ ...facts, drover: { ...facts.drover, ...marks } }));
    const booted = await run(python.path, [join(home, 'boot.py'), factsFile]);
    expect(booted).toEqual({ code: 0, said: expect.stringContaining('is installed') });
    expect(program()).toBe('new');
    expect(JSON.parse(readFileSync(join(home, 'software.json'), 'utf8'))).toMatchObject({ digest });
    expect(existsSync(join(folder, 'run/booted'))).toBe(true);
    expect(factsNow().elasticsearch).toMatchObject({
      version: '8.19.21',
      heap_max_gib: 8,
      settings: { 'a.b': 1 },
      master_url: 'https://newest',
    });
  });
});
