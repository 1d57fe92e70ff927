import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { fastClientConfig, inProcessClientConfig, serveAws } from '@drover/cloud-aws';
import { RealClock, SeededRandom } from '@drover/core';

/** Calls of an SDK client per second, with a trivial cloud behind the wire. */
export interface WireSpeed {
  /** In process, with the SDK's own signature and middleware. */
  readonly inProcess: number;
  /** In process, with the configuration for mass simulation. */
  readonly inProcessFast: number;
  /** Over HTTP on loopback. */
  readonly http: number;
}

const warmUpMs = 250;
const measuredMs = 700;
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** Measures each way of reaching AWS for a bounded time: about three seconds in all. */
export async function measureWire(): Promise<WireSpeed> {
  const aws = trivialAws();
  const inProcess = await callsPerSecond(new AutoScalingClient(inProcessClientConfig(aws, credentials)));
  const inProcessFast = await callsPerSecond(new AutoScalingClient(fastClientConfig(aws, credentials)));
  const served = await serveAws(aws);
  const overHttp = new AutoScalingClient({ region: aws.region, credentials, endpoint: served.url });
  const http = await callsPerSecond(overHttp);
  overHttp.destroy();
  await served.close();
  return { inProcess, inProcessFast, http };
}

function trivialAws() {
  const output = { AutoScalingGroups: [{ AutoScalingGroupName: 'group', MinSize: 0, MaxSize: 2, DesiredCapacity: 1 }] };
  const engine = { clock: new RealClock(), random: new SeededRandom(1) };
  return { region: 'eu-west-1', engine, call: async () => output };
}

async function callsPerSecond(client: AutoScalingClient): Promise<number> {
  const send = () => client.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ['group'] }));
  await countFor(warmUpMs, send);
  const start = performance.now();
  const calls = await countFor(measuredMs, send);
  return Math.round((calls * 1000) / (performance.now() - start));
}

async function countFor(ms: number, send: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + ms;
  let calls = 0;
  for (; performance.now() < end; calls++) await send();
  return calls;
}
