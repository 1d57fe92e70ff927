import { createServer } from 'node:http';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { VirtualClock } from '@drover/core';
import { openConsole } from '@drover/observation/http/open-console';
import { consoleServer } from '@drover/observation/http/server';
import { describe, expect, it } from 'vitest';
import { main } from '../src/main.ts';
import { droverAlone, memoryIo } from './memory-io.test-support.ts';

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

/** The command's output for this response of CloudFormation. */
async function saidWhen(respond: () => object, ...stacks: string[]) {
  const cloudformation = Object.assign(Object.create(CloudFormationClient.prototype), {
    config: { requestHandler: {} },
    send: async () => respond(),
  });
  const clock = new VirtualClock();
  const { io, said } = memoryIo({
    clock,
    fetch: () => Promise.reject(new Error('nothing is fetched')),
    aws: async () => ({ cloudformation }) as never,
  });
  const exitCode = await main(['console', '--stack', ...stacks], io);
  return { exitCode, ...said };
}
const outputs = (...names: string[]) => ({
  Stacks: [{ StackId: 'arn', Outputs: names.map((OutputKey) => ({ OutputKey, OutputValue: 'x' })) }],
});
const failing = (name: string, message: string) => () => {
  throw named(name, message);
};

describe('the command drover console', () => {
  it('drover console --help says what it needs, what it does to AWS and how to start', async () => {
    const { exitCode, stdout } = await droverAlone('console', '--help');
    expect(exitCode).toBe(0);
    for (const text of ['--stack', '--print-policy', 'two calls a second', 'drover console --stack runner-fleet'])
      expect(stdout).toContain(text);
    expect(await droverAlone('console')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("required option '--stack <name...>' not specified"),
    });
  });

  it.each([
    [
      'credentials are missing',
      failing('CredentialsProviderError', 'Could not load credentials from any providers'),
      /^drover: Could not load credentials from any providers; give the credentials of a role .*AWS_PROFILE.*\n$/,
    ],
    ['the region is missing', failing('Error', 'Region is missing'), /; set AWS_REGION/],
    ['the session has expired', failing('ExpiredToken', 'The security token included is expired'), /; log in again/],
    [
      'the role may not read the stack',
      failing('AccessDenied', 'User: x is not authorized to perform: cloudformation:DescribeStacks'),
      /not authorized.*--print-policy/,
    ],
    [
      'the stack does not exist',
      failing('ValidationError', 'Stack with id a does not exist'),
      /there is no stack a in this account and region; name the stack with --stack/,
    ],
    [
      'the stack is of something else',
      () => outputs('BucketName'),
      /the stack a has no runner fleet and no search cluster of Drover's; name the stacks that have one/,
    ],
  ])('drover console says what to do when %s', async (_, respond, expected) => {
    const { exitCode, stdout, stderr } = await saidWhen(respond, 'a');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(expected);
  });

  it('drover console refuses two fleets: it shows one', async () => {
    const { stderr } = await saidWhen(() => outputs('AutoscalingGroupName'), 'a', 'b');
    expect(stderr).toBe(
      'drover: a and b have a runner fleet each; a console shows one: start another with --port for the other\n',
    );
  });

  it('drover console names its own option when its port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const app = consoleServer({} as never, {});
    await expect(openConsole(port, app, '--port')).rejects.toMatchObject({
      message: `port ${port} for the console is taken`,
      remedy: 'stop what listens there, or choose another with --port',
    });
    await new Promise((resolve) => other.close(resolve));
  });

  it('a console of an account refuses every control', async () => {
    const backend = { state: async () => ({}), nextState: async () => {}, lifeOf: () => [], control: undefined };
    const app = consoleServer(backend as never, {});
    const response = await app.request('http://127.0.0.1:8610/api/controls/clock', {
      method: 'POST',
      headers: { host: '127.0.0.1:8610', 'content-type': 'application/json' },
      body: '{"paused":true}',
    });
    expect([response.status, await response.json()]).toEqual([405, { message: 'this console only reads' }]);
  });
});
