import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { ListHostedZonesCommand, Route53Client } from '@aws-sdk/client-route-53';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { Network, never } from '@drover/cloud-engine';
import { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { fastClientConfig, inProcessClientConfig } from './client-config.ts';
import { credentials, FakeAws } from './fake-aws.test-support.ts';
import { loadedServices, preload } from './schema/service-model.ts';
import { createRequestHandler, joinNetwork } from './wire.ts';

/** How many turns of the event loop pass until `work` is done. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let [turns, running] = [0, true];
  const turn = () => {
    turns += 1;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  running = false;
  return turns;
}

const newAws = (clock = new VirtualClock()) =>
  new FakeAws(
    {
      'autoscaling.DescribeAutoScalingGroups': () => ({ AutoScalingGroups: [] }),
      's3.GetObject': () => ({ Body: Buffer.from('x') }),
      's3.PutObject': () => ({}),
      'secretsmanager.GetSecretValue': () => ({ SecretString: 's' }),
      'sts.GetCallerIdentity': () => ({ Account: '1' }),
    },
    clock,
  );

describe.each([
  ['inProcessClientConfig', inProcessClientConfig],
  ['fastClientConfig', fastClientConfig],
])('a client with %s', (_name, configOf) => {
  const config = configOf(newAws(), credentials);

  it.each([
    ['Query', () => new AutoScalingClient(config).send(new DescribeAutoScalingGroupsCommand({}))],
    ['JSON', () => new SecretsManagerClient(config).send(new GetSecretValueCommand({ SecretId: 's' }))],
    ['REST', () => new S3Client(config).send(new PutObjectCommand({ Bucket: 'b', Key: 'k', Body: 'text' }))],
    [
      'a streamed response',
      async () =>
        (await new S3Client(config).send(new GetObjectCommand({ Bucket: 'b', Key: 'k' }))).Body?.transformToString(),
    ],
  ])('takes no turn of the event loop for %s, not even for its first call', async (_protocol, send) => {
    expect(await turnsOf(send)).toBe(0);
  });

  it('shows the caller', async () => {
    const aws = newAws();
    await new STSClient(configOf(aws, credentials)).send(new GetCallerIdentityCommand({}));
    expect(aws.seen[0]?.caller.credentials).toEqual({ accessKeyId: 'AKIDEXAMPLE', sessionToken: 'token' });
  });
});

describe('a client with nothing but a request handler', () => {
  it('takes no turn of the event loop once the shared configuration is read', async () => {
    const aws = newAws();
    const client = new STSClient({ region: 'eu-west-1', credentials, requestHandler: createRequestHandler(aws) });
    await preload(['sts']);
    expect(await turnsOf(() => client.send(new GetCallerIdentityCommand({})))).toBe(0);
  });

  it('hands on the process that makes the call', async () => {
    const aws = newAws();
    const process = { kill: () => {} };
    const requestHandler = createRequestHandler(aws, { process });
    await new STSClient({ region: 'eu-west-1', credentials, requestHandler }).send(new GetCallerIdentityCommand({}));
    expect(aws.seen[0]?.caller.process).toBe(process);
  });
});

describe("a service's package", () => {
  it("a service's package is loaded when the service is first asked for, and not before", async () => {
    const client = new Route53Client(
      inProcessClientConfig(
        new FakeAws({ 'route53.ListHostedZones': () => ({ HostedZones: [], IsTruncated: false, MaxItems: 100 }) }),
        credentials,
      ),
    );
    expect(loadedServices()).not.toContain('route53');
    await client.send(new ListHostedZonesCommand({}));
    expect(loadedServices()).toContain('route53');
  });
});

describe('a response that never comes', () => {
  const silent = (clock: VirtualClock) => new FakeAws({ 'sts.GetCallerIdentity': () => never }, clock);

  it('ends when the caller aborts', async () => {
    const aws = silent(new VirtualClock());
    const controller = new AbortController();
    const client = new STSClient(inProcessClientConfig(aws, credentials));
    const answer = client.send(new GetCallerIdentityCommand({}), { abortSignal: controller.signal });
    controller.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('a response that never comes does not start for a caller that has aborted', async () => {
    const aws = newAws();
    const client = new STSClient(inProcessClientConfig(aws, credentials));
    const answer = client.send(new GetCallerIdentityCommand({}), { abortSignal: AbortSignal.abort() });
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    expect(aws.seen).toEqual([]);
  });

  it("ends at the handler's timeout, on the world's clock", async () => {
    const clock = new VirtualClock();
    const aws = silent(clock);
    const config = { ...inProcessClientConfig(aws, credentials, { requestTimeoutMs: 60_000 }), maxAttempts: 1 };
    const answer = new STSClient(config).send(new GetCallerIdentityCommand({})).catch((error) => error);
    await clock.advance(59_999);
    const before = await Promise.race([answer, Promise.resolve('waiting')]);
    await clock.advance(1);
    expect(before).toBe('waiting');
    expect(await answer).toMatchObject({ name: 'TimeoutError' });
  });
});

describe("the world's network", () => {
  it('leads to AWS by every host name of AWS, with the process that calls', async () => {
    const [aws, network, process] = [newAws(), new Network(), { kill: () => {} }];
    joinNetwork(network, aws);
    const origin = { kind: 'function', name: 'f', process } as const;
    const requestHandler = createRequestHandler({ aws, network }, { origin });
    const client = new STSClient({ region: 'eu-west-1', credentials, requestHandler });

    const output = await client.send(new GetCallerIdentityCommand({}));

    expect(output.Account).toBe('1');
    expect(aws.seen[0]?.caller.process).toBe(process);
  });

  it('reports a failure of the model as InternalFailure, as AWS would', async () => {
    const network = new Network();
    const aws = new FakeAws({ 'sts.GetCallerIdentity': () => Promise.reject(new TypeError('a mistake')) });
    joinNetwork(network, aws);
    const requestHandler = createRequestHandler({ aws, network }, { origin: { kind: 'operator', name: 'o' } });
    const client = new STSClient({ region: 'eu-west-1', credentials, requestHandler, maxAttempts: 1 });
    await expect(client.send(new GetCallerIdentityCommand({}))).rejects.toMatchObject({
      name: 'InternalFailure',
      message: expect.stringContaining('a mistake'),
    });
  });
});
