import { request } from 'node:http';
import { type Served, serve } from '@drover/cloud-engine';
import type { Inputs } from '../src/local/inputs.ts';
import type { LocalWorld } from '../src/local/local-world.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The ports of `drover local`, and a client such as `drover console` that asks all of them at once and is killed in mid-request. */
export async function dyingClient(local: LocalWorld, inputs: Inputs) {
  const [aws, platform, search] = await Promise.all([
    serve(inputs.noted('aws')),
    serve(inputs.noted('platform')),
    serve(inputs.noted('search')),
  ]);
  const { accessKeyId } = local.world.rootCredentials;
  const signed = (service: string, headers: Record<string, string>, body: string): Asked => ({
    method: 'POST',
    path: '/',
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260601/${local.world.aws.region}/${service}/aws4_request`,
      ...headers,
    },
    body,
  });
  const query = (service: string, form: string) =>
    signed(service, { 'content-type': 'application/x-www-form-urlencoded' }, form);
  const get = (path: string, headers: Record<string, string> = {}): Asked => ({
    method: 'GET',
    path,
    headers,
    body: '',
  });
  const login = { authorization: `Bearer ${local.fleet.platformToken}`, 'user-agent': 'console' };
  const questions: readonly (readonly [Served, Asked])[] = [
    [aws, query('autoscaling', 'Action=DescribeAutoScalingGroups&Version=2011-01-01')],
    [aws, query('ec2', 'Action=DescribeInstances&Version=2016-11-15')],
    [
      aws,
      signed(
        'logs',
        { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'Logs_20140328.FilterLogEvents' },
        JSON.stringify({ logGroupName: '/aws/lambda/runners-registration' }),
      ),
    ],
    [
      platform,
      get(
        `${new URL(local.fleet.codeHost.apiUrl).pathname.replace(/\/$/, '')}/orgs/${local.fleet.codeHost.org}/actions/runners`,
        login,
      ),
    ],
    [search, get('/_cluster/health')],
    [search, get('/_cat/shards?format=json')],
  ];
  return {
    /** Asks, and dies after that many turns of the event loop; returns how many responses it got. */
    async look(turns: number): Promise<number> {
      const sent = questions.map(([{ port }, asked]) => send(port, asked));
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      for (const { kill } of sent) kill();
      const responses = await Promise.all(sent.map(({ response }) => response));
      return responses.filter((response) => response === 'ok').length;
    },
    close: () => Promise.all([aws, platform, search].map((port) => port.close())),
  };
}

function send(port: number, { method, path, headers, body }: Asked) {
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  const response = new Promise<string>((resolve) => {
    sent.on('response', (received) => {
      received.resume();
      received.on('end', () =>
        resolve(received.statusCode === 200 ? 'ok' : `${method} ${path} ${received.statusCode}`),
      );
      received.on('error', () => resolve('cut off'));
    });
    sent.on('error', () => resolve('cut off'));
    sent.on('close', () => resolve('cut off'));
  });
  sent.end(body);
  return { kill: () => sent.destroy(), response };
}
