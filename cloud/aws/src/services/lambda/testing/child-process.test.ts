import { CreateRoleCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { CreateFunctionCommand, InvokeCommand, waitUntilFunctionActive } from '@aws-sdk/client-lambda';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import type { Served } from '@drover/cloud-engine';
import { clients, World } from '@drover/cloud-world';
import { ScaledClock } from '@drover/core';
import { build } from 'esbuild';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveAws } from '../../../wire/wire.ts';
import { loadIntoProcess } from './child-process.ts';

const source = `
import { SecretsManagerClient, GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
const secrets = new SecretsManagerClient({});
let runs = 0;
export async function handler(event) {
  console.log('acting', event.act);
  runs += 1;
  if (event.act === 'die') process.exit(7);
  if (event.act === 'throw') throw new RangeError('no');
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: 'token' }));
  return { SecretString, runs, pid: process.pid };
}`;

const world = new World({ clock: new ScaledClock({ speed: 20 }) });
const aws = clients(world);
let served: Served;

beforeAll(async () => {
  served = await serveAws(world);
  world.aws.lambda.runWith(() => true, loadIntoProcess({ endpointUrl: served.url }));
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    mainFields: ['module', 'main'],
    write: false,
  });
  const statement = (more: object) =>
    JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...more }] });
  const trust = statement({ Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' });
  const { Role } = await aws.iam.send(new CreateRoleCommand({ RoleName: 'fn', AssumeRolePolicyDocument: trust }));
  await aws.iam.send(
    new PutRolePolicyCommand({
      RoleName: 'fn',
      PolicyName: 'p',
      PolicyDocument: statement({ Action: '*', Resource: '*' }),
    }),
  );
  await aws.secretsmanager.send(new CreateSecretCommand({ Name: 'token', SecretString: 'top' }));
  const files = {
    cjs: { 'index.js': outputFiles[0]!.contents },
    esm: { 'index.mjs': strToU8('export const handler = async () => import.meta.url.slice(0, 7)') },
    slow: { 'index.js': strToU8('exports.handler = () => new Promise((resolve) => setTimeout(resolve, 60_000))') },
  };
  for (const [FunctionName, file] of Object.entries(files)) {
    const Code = { ZipFile: zipSync(file as Record<string, Uint8Array>) };
    const settings = { Role: Role!.Arn!, Runtime: 'nodejs22.x' as const, Handler: 'index.handler' };
    const Timeout = FunctionName === 'slow' ? 20 : 600;
    await aws.lambda.send(new CreateFunctionCommand({ FunctionName, Code, Timeout, ...settings }));
    await waitUntilFunctionActive({ client: aws.lambda, maxWaitTime: 20, minDelay: 1, maxDelay: 1 }, { FunctionName });
  }
});

afterAll(async () => {
  world.aws.lambda.stop();
  await served?.close();
});

async function run(FunctionName: string, act = '') {
  const answer = await aws.lambda.send(
    new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify({ act })) }),
  );
  return JSON.parse(Buffer.from(answer.Payload!).toString());
}

it('runs a bundle in a warm process of its own, which reaches the served cloud', async () => {
  const first = await run('cjs');
  const second = await run('cjs');

  expect(first).toMatchObject({ SecretString: 'top', runs: 1 });
  expect(second).toEqual({ ...first, runs: 2 });
  expect(first.pid).not.toBe(process.pid);
  expect(world.aws.logs.lines('/aws/lambda/cjs').map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/\tINFO\tacting $/),
  );
});

it('reports errors, exits and timeouts as Lambda does, and starts a new process after them', async () => {
  expect(await run('cjs', 'throw')).toMatchObject({ errorType: 'RangeError', errorMessage: 'no' });
  expect(await run('cjs', 'die')).toMatchObject({
    errorType: 'Runtime.ExitError',
    errorMessage: expect.stringContaining('exit status 7'),
  });
  expect(await run('slow')).toMatchObject({
    errorType: 'Sandbox.Timedout',
    errorMessage: expect.stringContaining('Task timed out after 20.00 seconds'),
  });
  expect(await run('cjs')).toMatchObject({ SecretString: 'top', runs: 1 });
});

it('runs ES modules too', async () => {
  expect(await run('esm')).toBe('file://');
});
