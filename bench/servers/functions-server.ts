/** AWS and GitHub as one server that responds at once: nothing that a function waits for but its own start. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubOptions {
  /** Runners that GitHub lists, one on each instance of the group. */
  readonly runners: number;
  /** Lifecycle state of the group's last instance; the others are in service. */
  readonly state: string;
  /** Keeps the fleet memory that is written to it. @default it is lost each time */
  readonly remembers?: boolean;
}

export interface Stub {
  readonly url: string;
  close(): void;
}

const region = 'eu-west-1';
const group = 'runners';
const instanceId = (index: number) => `i-${String(index).padStart(17, '0')}`;

/** The environment that the construct and Lambda give to a function whose world is the stub. */
export const functionEnvironment = (url: string): Readonly<Record<string, string>> => ({
  PATH: process.env.PATH ?? '',
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'token',
  AWS_ENDPOINT_URL: url,
  ASG_NAME: group,
  PLATFORM_API: `${url}/platform`,
  PLATFORM_ORG: 'example-org',
  PLATFORM_TOKEN_SECRET_ARN: `arn:aws:secretsmanager:${region}:123456789012:secret:platform-token`,
  ALLOWED_DRAIN_TIME: '900',
  IDLE_RUNNERS_TARGET: '1',
  SCALE_UP_LIMIT: '10',
  VENDOR: 'Drover',
  FLEET_MEMORY_BUCKET: 'memory',
  FLEET_MEMORY_KEY: 'fleet-memory.json',
  INSTANCE_ARN_PREFIX: `arn:aws:ec2:${region}:123456789012:instance/`,
  SCALE_SET_LABELS: JSON.stringify([group]),
  DEMAND_WINDOW_SECONDS: '0',
});

/** The event of an instance that enters the state. */
export const lifecycleEvent = (runners: number): object => ({
  detail: { EC2InstanceId: instanceId(runners - 1), Origin: 'EC2' },
});

export async function startStub(options: StubOptions): Promise<Stub> {
  const answers = prepare(options);
  const server = createServer((request, response) => void answer(answers, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

interface Answers {
  readonly group: string;
  readonly pages: readonly string[];
  readonly last: string;
  readonly remembers: boolean;
  memory: string | undefined;
}

/** Everything is rendered beforehand, so that the server is never what is measured. */
function prepare({ runners, state, remembers = false }: StubOptions): Answers {
  const count = Math.max(runners, 1);
  const members = Array.from({ length: count }, (_, index) => member(index, index === count - 1 ? state : 'InService'));
  const records = Array.from({ length: runners }, (_, index) => runner(index));
  const pages = Array.from({ length: Math.max(1, Math.ceil(runners / 100)) }, (_, page) =>
    listOf(runners, records.slice(page * 100, page * 100 + 100)),
  );
  return { group: groupXml(members.join('')), pages, last: listOf(0, []), remembers, memory: undefined };
}

const member = (index: number, state: string) =>
  `<member><InstanceId>${instanceId(index)}</InstanceId><AvailabilityZone>${region}a</AvailabilityZone><LifecycleState>${state}</LifecycleState><HealthStatus>Healthy</HealthStatus><LaunchTemplate><LaunchTemplateId>lt-0123456789abcdef0</LaunchTemplateId><LaunchTemplateName>runners</LaunchTemplateName><Version>1</Version></LaunchTemplate><InstanceType>t3a.medium</InstanceType><ProtectedFromScaleIn>false</ProtectedFromScaleIn></member>`;

const groupXml = (members: string) =>
  `<DescribeAutoScalingGroupsResponse xmlns="http://autoscaling.amazonaws.com/doc/2011-01-01/"><DescribeAutoScalingGroupsResult><AutoScalingGroups><member><AutoScalingGroupName>${group}</AutoScalingGroupName><MinSize>1</MinSize><MaxSize>10000</MaxSize><DesiredCapacity>1</DesiredCapacity><DefaultCooldown>300</DefaultCooldown><AvailabilityZones><member>${region}a</member></AvailabilityZones><HealthCheckType>EC2</HealthCheckType><CreatedTime>2026-11-01T00:00:00Z</CreatedTime><Instances>${members}</Instances></member></AutoScalingGroups></DescribeAutoScalingGroupsResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></DescribeAutoScalingGroupsResponse>`;

/** As GitHub describes a runner, with the labels that each of ours has. */
const runner = (index: number) => ({
  id: index + 1,
  name: instanceId(index),
  os: 'linux',
  status: 'online',
  busy: false,
  ephemeral: false,
  runner_group_id: 1,
  labels: ['self-hosted', 'Linux', 'X64', `instance_id:${instanceId(index)}`, `installation_id:${group}`].map(
    (name, position) => ({ id: position, name, type: 'read-only' }),
  ),
});

const listOf = (total: number, runners: readonly object[]) => JSON.stringify({ total_count: total, runners });

async function answer(answers: Answers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const url = new URL(request.url ?? '/', 'http://stub');
  if (url.pathname.startsWith('/platform/actions') || url.pathname.startsWith('/service/'))
    return actionsService(`http://${request.headers.host}`, request.method ?? '', url.pathname, response);
  if (url.pathname.startsWith('/platform/')) return platform(answers, request.method ?? '', url, response);
  if (url.pathname.startsWith('/memory/'))
    return memory(answers, request.method ?? '', Buffer.concat(chunks).toString(), response);
  const target = String(request.headers['x-amz-target'] ?? '')
    .split('.')
    .at(-1)!;
  if (target !== '') return send(response, 'application/x-amz-json-1.1', jsonAnswers[target] ?? '{}');
  const action = new URLSearchParams(Buffer.concat(chunks).toString()).get('Action') ?? '';
  send(response, 'text/xml', action === 'DescribeAutoScalingGroups' ? answers.group : emptyXml(action));
}

function platform({ pages, last }: Answers, method: string, url: URL, response: ServerResponse): void {
  const page = url.searchParams.has('name') ? last : pages[Number(url.searchParams.get('page') ?? '1') - 1];
  if (method === 'POST') send(response, 'application/json', JSON.stringify({ token: 'AABBCC' }), 201);
  else if (method === 'DELETE') send(response, 'application/json', '', 204);
  else send(response, 'application/json', page ?? last);
}

/** Just enough for a window that ends at once: a connection, the scale set, a session without demand. */
function actionsService(site: string, method: string, path: string, response: ServerResponse): void {
  const [totalAvailableJobs, totalAssignedJobs, totalRunningJobs] = [0, 0, 0];
  const [totalRegisteredRunners, totalBusyRunners, totalIdleRunners] = [1, 0, 1];
  const jobs = { totalAvailableJobs, totalAssignedJobs, totalRunningJobs };
  const statistics = { ...jobs, totalRegisteredRunners, totalBusyRunners, totalIdleRunners };
  const session = { sessionId: 'a', messageQueueUrl: `${site}/queue`, messageQueueAccessToken: 'b', statistics };
  const connection = {
    url: `${site}/service/`,
    token: `a.${Buffer.from('{"exp":9999999999}').toString('base64url')}.`,
  };
  const sets = { count: 1, value: [{ id: 1, name: group }] };
  const found = path.startsWith('/platform/') ? connection : method === 'GET' ? sets : session;
  send(response, 'application/json', JSON.stringify(found));
}

function memory(answers: Answers, method: string, body: string, response: ServerResponse): void {
  if (method === 'PUT' && answers.remembers) answers.memory = body;
  const found = method === 'PUT' || answers.memory !== undefined;
  if (found) response.setHeader('etag', '"1"');
  send(response, 'application/json', method === 'PUT' ? '' : (answers.memory ?? ''), found ? 200 : 404);
}

const jsonAnswers: Readonly<Record<string, string>> = {
  GetSecretValue: JSON.stringify({ Name: 'platform-token', SecretString: 'ghp_token' }),
  ListSecrets: JSON.stringify({ SecretList: [] }),
  CreateSecret: JSON.stringify({ Name: 'token' }),
  ListCommandInvocations: JSON.stringify({ CommandInvocations: [] }),
  SendCommand: JSON.stringify({ Command: { CommandId: '1' } }),
};

const emptyXml = (action: string) =>
  `<${action}Response><${action}Result/><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></${action}Response>`;

function send(response: ServerResponse, type: string, body: string, status = 200): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}
