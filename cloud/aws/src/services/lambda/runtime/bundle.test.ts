import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import type { HttpRequest } from '@drover/cloud-engine';
import { never } from '@drover/cloud-engine';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { created, invoke, type TestWorld, testWorld } from '../function-world.test-support.ts';

/** A function as a user would write it, with real SDK clients inside. */
const source = `
import { SecretsManagerClient, GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { LambdaClient, InvokeCommand } from '@aws-sdk/client-lambda';
import { webcrypto } from 'node:crypto';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const secrets = new SecretsManagerClient({ requestHandler: { requestTimeout: 3000, throwOnRequestTimeout: true } });
const lambda = new LambdaClient({});
let runs = 0;

const acts = {
  async read() {
    const startedAt = Date.now();
    const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: 'token' }));
    return { SecretString, tookMs: Date.now() - startedAt };
  },
  async wait() {
    const started = { date: Date.now(), performance: performance.now(), hrtime: process.hrtime.bigint() };
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    await sleep(60_000);
    return {
      date: new Date().getTime() - started.date,
      performance: performance.now() - started.performance,
      hrtime: Number(process.hrtime.bigint() - started.hrtime),
    };
  },
  async chance() {
    return [Math.random(), crypto.randomUUID(), webcrypto.getRandomValues(new Uint8Array(4)).join()];
  },
  async sign() {
    const before = Date.now();
    const pair = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
    const signature = await crypto.subtle.sign('HMAC', pair, new TextEncoder().encode('text'));
    return { bytes: signature.byteLength, tookMs: Date.now() - before };
  },
  async web() {
    const plain = await new Promise((resolve, reject) => {
      https.get('https://example.test/a?b=c', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => (text += part)).on('end', () => resolve([response.statusCode, text]));
      }).on('error', reject);
    });
    const fetched = await (await fetch('https://example.test/f', { method: 'POST', body: 'x' })).json();
    return { plain, fetched };
  },
  async again(event) {
    runs += 1;
    await lambda.send(new InvokeCommand({ FunctionName: 'fn', InvocationType: 'Event', Payload: JSON.stringify(event) }));
  },
};

export const handler = async (event, context) => {
  console.log('acting', event.act, 'in', process.env.AWS_REGION);
  return acts[event.act](event, context);
};`;

let bundle: Uint8Array;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bundle-test-'));
  const outfile = join(directory, 'index.js');
  await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    minify: true,
    target: 'node20',
    mainFields: ['module', 'main'],
    outfile,
  });
  bundle = new Uint8Array(await readFile(outfile));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** A world in which the bundle is deployed as `fn`. */
async function deployed(seed: number | string = 1): Promise<TestWorld> {
  const test = testWorld(seed);
  await test.aws.secretsmanager.send(new CreateSecretCommand({ Name: 'token', SecretString: 'top' }));
  await created(test, 'fn', { 'index.js': bundle }, { Timeout: 300 });
  return test;
}

const act = (test: TestWorld, name: string) => invoke(test, 'fn', { act: name });

describe('a built bundle with real SDK clients', () => {
  it('runs unchanged in process: its calls, its logs and its identity are those of the function', async () => {
    const test = await deployed();

    const { payload } = await act(test, 'read');

    expect(payload).toEqual({ SecretString: 'top', tookMs: 0 });
    const read = test.world.engine.journal.entries.find(({ name }) => name === 'GetSecretValue');
    expect(read?.detail).toEqual({ by: 'fn-role/fn' });
    const lines = test.world.aws.logs.lines('/aws/lambda/fn').map(({ message }) => message);
    expect(lines).toContainEqual(expect.stringMatching(/^2026-\S+Z\t\S+\tINFO\tacting read in eu-west-1$/));
  });

  it('waits, reads the time and measures on the virtual clock', async () => {
    const test = await deployed();

    const { payload } = await act(test, 'wait');

    expect(payload).toEqual({ date: 120_000, performance: 120_000, hrtime: 120_000_000_000 });
  });

  it('retries throttled calls with the back-off of the SDK, in virtual time', async () => {
    const test = await deployed();
    test.world.engine.faults.add({
      service: 'secretsmanager',
      operation: 'GetSecretValue',
      times: 2,
      effect: { kind: 'throttle' },
    });

    const { payload } = await act(test, 'read');

    expect(payload.SecretString).toBe('top');
    expect(payload.tookMs).toBeGreaterThan(0);
    expect(test.world.engine.journal.entries.filter(({ name }) => name === 'GetSecretValue')).toHaveLength(3);
  });

  it('gives up a call without a response after the timeout of its own request handler', async () => {
    const test = await deployed();
    test.world.engine.faults.add({ service: 'secretsmanager', times: 1, effect: { kind: 'timeout' } });

    const { payload } = await act(test, 'read');

    expect(payload.SecretString).toBe('top');
    expect(payload.tookMs).toBeGreaterThanOrEqual(3_000);
    expect(payload.tookMs).toBeLessThan(5_000);
  });

  it('signs with web crypto while time stands still', async () => {
    const test = await deployed();

    expect((await act(test, 'sign')).payload).toEqual({ bytes: 32, tookMs: 0 });
  });

  it('reaches the sites of the embedded network with node:https and fetch, from where it is', async () => {
    const test = await deployed();
    const seen: [HttpRequest, string][] = [];
    test.world.network.register('example.test', async (request, origin) => {
      seen.push([request, `${origin.kind} ${origin.name}`]);
      return {
        status: 201,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ path: request.path }),
      };
    });

    const { payload } = await act(test, 'web');

    expect(payload).toEqual({ plain: [201, '{"path":"/a"}'], fetched: { path: '/f' } });
    expect(seen.map(([{ method, query }, origin]) => [method, query, origin])).toEqual([
      ['GET', 'b=c', 'function fn'],
      ['POST', '', 'function fn'],
    ]);
  });

  it('[rule 12] carries its lineage through the SDK, so that a loop is stopped', async () => {
    const test = await deployed();

    await test.aws.lambda.send(
      new InvokeCommand({ FunctionName: 'fn', InvocationType: 'Event', Payload: Buffer.from('{"act":"again"}') }),
    );
    await test.clock.advance(600_000);

    const runs = test.world.engine.journal.entries.filter(
      ({ source: from, name }) => from === 'aws.lambda' && name === 'succeeded',
    );
    expect(runs).toHaveLength(16);
  });

  it('a built bundle with real SDK clients does the same things at the same times for the same seed, and others for another', async () => {
    const run = async (seed: string) => {
      const test = await deployed(seed);
      test.world.engine.faults.add({ service: 'secretsmanager', chance: 0.4, times: 2, effect: { kind: 'throttle' } });
      const answers = [];
      for (const name of ['chance', 'read', 'sign', 'wait', 'chance']) answers.push((await act(test, name)).payload);
      return { digest: test.world.engine.journal.digest, answers };
    };

    const first = await run('a');

    expect(await run('a')).toEqual(first);
    expect((await run('b')).digest).not.toBe(first.digest);
  });
});

describe('what a bundle may not do', () => {
  const failing = async (code: string, files: Record<string, string> = {}) => {
    const test = testWorld();
    await created(test, 'fn', { 'index.js': code, ...files }, { Timeout: 60 });
    return (await invoke(test, 'fn')).payload;
  };

  it('what a bundle may not do is refused loudly: sockets, processes, files outside /tmp', async () => {
    const code = (body: string) => `exports.handler = async () => { ${body} }`;

    expect(await failing(code(`require('net').connect(80, 'example.test')`))).toMatchObject({
      errorType: 'RefusedInSandbox',
      errorMessage: expect.stringContaining('net.connect'),
    });
    expect(await failing(code(`require('node:child_process').execSync('ls')`))).toMatchObject({
      errorType: 'RefusedInSandbox',
    });
    expect(await failing(code(`require('dns').lookup('x', () => {})`))).toMatchObject({
      errorType: 'RefusedInSandbox',
    });
    expect(await failing(code(`require('fs').writeFileSync('/etc/x', '')`))).toMatchObject({
      errorMessage: expect.stringContaining('EROFS'),
    });
    expect(await failing(code(`return require('fs').readFileSync('/etc/hostname', 'utf8')`))).toMatchObject({
      errorMessage: expect.stringContaining('ENOENT'),
    });
  });

  it('names the fix for an ES module', async () => {
    expect(await failing('export const handler = async () => 1')).toMatchObject({
      errorType: 'Runtime.UserCodeSyntaxError',
      errorMessage: expect.stringContaining('format: "cjs"'),
    });
  });

  it('reports a missing module, a missing handler and a crash as the runtime does', async () => {
    expect(await failing(`require('left-pad')`)).toMatchObject({ errorType: 'Runtime.ImportModuleError' });
    expect(await failing('exports.other = 1')).toMatchObject({ errorType: 'Runtime.HandlerNotFound' });
    expect(await failing('exports.handler = async () => process.exit(3)')).toMatchObject({
      errorType: 'Runtime.ExitError',
      errorMessage: expect.stringContaining('exit status 3'),
    });
    const crash = 'exports.handler = () => new Promise(() => setTimeout(() => { throw new RangeError("late") }, 5))';
    expect(await failing(crash)).toMatchObject({ errorType: 'RangeError', errorMessage: 'late' });
  });

  it('times out when packets have no route out of its subnets', async () => {
    const test = testWorld();
    test.world.network.register('example.test', () => never);
    await created(
      test,
      'fn',
      { 'index.js': `exports.handler = () => fetch('https://example.test/')` },
      { Timeout: 30 },
    );

    expect((await invoke(test, 'fn')).payload).toMatchObject({ errorType: 'Sandbox.Timedout' });
  });
});

describe('what a bundle has for itself', () => {
  it('what a bundle has for itself is its package, /tmp, its globals and its module state, per environment', async () => {
    const test = testWorld();
    const code = `
      const fs = require('fs');
      const { helper } = require('./lib/helper');
      let runs = 0;
      globalThis.marker = (globalThis.marker ?? 0) + 1;
      exports.handler = async () => {
        fs.appendFileSync('/tmp/log', 'x');
        return { runs: ++runs, marker: globalThis.marker, text: fs.readFileSync('data.json', 'utf8'), tmp: fs.readFileSync('/tmp/log', 'utf8'), helper: helper() };
      };`;
    const files = { 'index.js': code, 'lib/helper.js': 'exports.helper = () => __filename', 'data.json': '{"a":1}' };
    await created(test, 'one', files);
    await created(test, 'two', files);

    const first = await invoke(test, 'one');
    const second = await invoke(test, 'one');
    const other = await invoke(test, 'two');

    const expected = { marker: 1, text: '{"a":1}', helper: '/var/task/lib/helper.js' };
    expect(first.payload).toEqual({ ...expected, runs: 1, tmp: 'x' });
    expect(second.payload).toEqual({ ...expected, runs: 2, tmp: 'xx' });
    expect(other.payload).toEqual({ ...expected, runs: 1, tmp: 'x' });
    expect('marker' in globalThis).toBe(false);
  });

  it('a bundle responds by callback, by context.done, or by neither', async () => {
    const run = async (code: string) => {
      const test = testWorld();
      await created(test, 'fn', { 'index.js': code });
      return (await invoke(test, 'fn')).payload;
    };

    expect(await run('exports.handler = (event, context, callback) => callback(null, 1)')).toBe(1);
    expect(await run('exports.handler = (event, context) => setTimeout(() => context.done(null, 2), 900)')).toBe(2);
    expect(await run('exports.handler = () => 3')).toBe(null);
  });
});

it('gives inline code of templates the module that responds to CloudFormation', async () => {
  const test = testWorld();
  const answers: unknown[] = [];
  test.world.network.register('answers.test', async (request) => {
    answers.push([request.method, request.path, JSON.parse(Buffer.from(request.body).toString())]);
    return { status: 200, headers: {}, body: '' };
  });
  const code = `const response = require('cfn-response');
    exports.handler = (event, context) => { response.send(event, context, response.SUCCESS, { value: 42 }, 'physical'); };`;
  const role = await created(test, 'unused', {}, {}).then(() => 'arn:aws:iam::123456789012:role/unused-role');
  const provider = test.world.aws.lambda.resources['AWS::Lambda::Function']!;
  const request = {
    type: 'AWS::Lambda::Function',
    logicalId: 'Inline',
    stackName: 's',
    stackId: 'stack',
    generateName: () => 'inline',
    properties: { Code: { ZipFile: code }, Handler: 'index.handler', Runtime: 'nodejs22.x', Role: role },
  };
  const made = Promise.resolve(provider.create(request));
  await test.clock.advance(20_000);
  await made;

  await invoke(test, 'inline', {
    ResponseURL: 'https://answers.test/reply?x=1',
    StackId: 'stack',
    RequestId: 'r',
    LogicalResourceId: 'L',
  });

  expect(answers).toMatchObject([
    ['PUT', '/reply', { Status: 'SUCCESS', PhysicalResourceId: 'physical', RequestId: 'r', Data: { value: 42 } }],
  ]);
});
