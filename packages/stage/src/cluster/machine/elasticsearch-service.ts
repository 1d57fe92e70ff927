import type { NodeOptions, SearchClusterOptions } from '@drover/cloud-elasticsearch';
import type { MachineView, ProcessContext, Program } from '@drover/cloud-machines';
import { killSelf } from '../cluster-command.ts';
import { fileSystemBytes } from '../data/data-volume.ts';
import { searchDelays } from '../search-delays.ts';
import { certificatesLoaded, loadedBy, trustEachOther } from '../transport-tls.ts';
import { roleOf, type SearchMachineHost } from './machine-host.ts';
import { type NodeSettings, readNodeSettings, type Settings } from './node-settings.ts';

const { start: startMs, stop: stopMs, security: securityMs } = searchDelays;

/** Elasticsearch as its unit runs it: settings from its files, peers from EC2's tags, data on the instance's own disk. */
export function elasticsearchService(host: SearchMachineHost): Program {
  return async (context) => {
    const read = readNodeSettings(context.machine);
    await context.clock.sleep(context.random.int(startMs.least, startMs.most));
    const discovers = await findsPeers(host, context, read.settings);
    certificatesLoaded(context.machine);
    await trustOfPeers(host, context);
    const node = host.startNode(context, {
      cluster: clusterOptions(read),
      node: nodeOptions(context, read),
      discovers,
      s3Clients: s3Clients(read.settings),
    });
    context.notifyReady();
    return await new Promise<number>((resolve) => {
      context.onSignal('SIGTERM', () => {
        node.stop();
        context.clock.after(context.random.int(stopMs.least, stopMs.most), () => resolve(143));
      });
      // Power, or the process itself, is gone at once.
      context.signal.addEventListener('abort', () => node.crash(), { once: true });
    });
  };
}

/** A node whose certificate the others do not trust, or that does not trust theirs, is ready, but stays out until it is. */
async function trustOfPeers({ world }: SearchMachineHost, { machine, clock, notifyReady, log }: ProcessContext) {
  const name = clusterLine(machine);
  const untrusted = () => {
    const own = loadedBy(machine, clock.now());
    const peers = world.machines
      .all()
      .filter((other) => other.files !== machine.files && clusterLine(other) === name)
      .filter((other) => other.serviceState('elasticsearch') === 'active')
      .flatMap((other) => loadedBy(other, clock.now()) ?? []);
    return own !== undefined && peers.length > 0 && !peers.some((peer) => trustEachOther(own, peer));
  };
  while (untrusted()) {
    log('failed to establish trust with server: the certificate is not trusted');
    notifyReady();
    await clock.sleep(10_000);
  }
}

const clusterLine = ({ files }: Pick<MachineView, 'files'>) =>
  /^cluster\.name:.*$/m.exec(files.get('/etc/elasticsearch/elasticsearch.yml') ?? '')?.[0];

/** `discovery.ec2.node_cache_time` */
const askedAgainMs = 10_000;
/** `discovery.ec2.read_timeout` */
const readTimeoutMs = 50_000;

/**
 * discovery-ec2: `DescribeInstances` for the tags, with the instance's role. Without that right, or with an endpoint that AWS
 * SDK v2 cannot use, the plugin logs one line and returns no seed hosts. It asks again every ten seconds as long as the node has no
 * master, so that a call that EC2 throttles, fails or never responds to only delays the node, which is ready meanwhile.
 */
async function findsPeers(host: SearchMachineHost, context: ProcessContext, settings: Settings): Promise<boolean> {
  for (;;) {
    const found = await asksForPeers(host, context, settings);
    if (found !== 'later') return found;
    context.notifyReady();
    await context.clock.sleep(askedAgainMs);
  }
}

async function asksForPeers(
  { world }: SearchMachineHost,
  context: ProcessContext,
  settings: Settings,
): Promise<boolean | 'later'> {
  const endpoint = text(settings, 'discovery.ec2.endpoint');
  if (endpoint !== undefined && !/^https?:\/\//.test(endpoint)) {
    context.log(`discovery-ec2: exception while retrieving instance list from AWS API: protocol must not be null.`);
    return false;
  }
  const tags = Object.entries(settings).filter(([key]) => key.startsWith('discovery.ec2.tag.'));
  const Filters = [
    { Name: 'instance-state-name', Values: ['running', 'pending'] },
    ...tags.map(([key, value]) => ({ Name: `tag:${key.slice('discovery.ec2.tag.'.length)}`, Values: [String(value)] })),
  ];
  try {
    const caller = { ...roleOf(world, context.machine), process: { kill: () => killSelf(context) } };
    const response = await Promise.race([
      world.aws.call('ec2', 'DescribeInstances', { Filters }, caller),
      context.clock.sleep(readTimeoutMs),
    ]);
    if (response === undefined) {
      context.log('discovery-ec2: Read timed out');
      return 'later';
    }
    const { Reservations } = response as {
      Reservations: readonly { readonly Instances: readonly { readonly InstanceId: string }[] }[];
    };
    const found = Reservations.flatMap(({ Instances }) => Instances).map(({ InstanceId }) => InstanceId);
    return found.includes(context.machine.instance.id);
  } catch (error) {
    context.log(`discovery-ec2: ${(error as Error).message}`);
    return isTransient(error as AwsFailure) ? 'later' : false;
  }
}

interface AwsFailure {
  readonly code?: string;
  readonly status?: number;
}

const isTransient = ({ code, status = 0 }: AwsFailure) => code === 'ThrottlingException' || status >= 500;

const s3Clients = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => key.startsWith('s3.client.')));

const text = (settings: Settings, key: string) => (settings[key] === undefined ? undefined : String(settings[key]));
const list = (settings: Settings, key: string) =>
  settings[key] === undefined ? undefined : [settings[key]].flat().map(String);

/** Options that all nodes of a cluster share. */
function clusterOptions({ settings, bootstrapPassword }: NodeSettings): SearchClusterOptions {
  const security = bootstrapPassword === undefined ? {} : { bootstrapPassword };
  return {
    clusterName: text(settings, 'cluster.name')!,
    settings: sharedSettings(settings),
    autoBootstrap: false,
    plugins: ['discovery-ec2'],
    ...(settings['xpack.security.enabled'] === true ? { security } : {}),
  };
}

/** Settings that only the file of the elected master decides; other nodes may have others, or none. */
const ofElected = /^cluster\.routing\.allocation\.awareness\.force\./;
const electedSettings = (settings: Settings) =>
  Object.fromEntries(
    Object.entries(settings)
      .filter(([key]) => ofElected.test(key))
      .map(([key, value]) => [key, [value].flat().map(String)]),
  );

const sharedSettings = (settings: Settings) =>
  Object.fromEntries(
    Object.entries(settings)
      .filter(([key]) => /^(cluster\.routing|discovery\.|xpack\.)/.test(key) && !ofElected.test(key))
      .map(([key, value]) => [key, Array.isArray(value) ? value.map(String) : String(value)]),
  );

/** Files of one node: those of another may be older. */
function nodeSecurity({ settings, roles }: NodeSettings): NodeOptions['security'] {
  const anonymous = list(settings, 'xpack.security.authc.anonymous.roles');
  const authzException = settings['xpack.security.authc.anonymous.authz_exception'] !== false;
  return { roles, ...(anonymous === undefined ? {} : { anonymous: { roles: anonymous, authzException } }) };
}

function nodeOptions({ machine, random }: ProcessContext, planned: NodeSettings): NodeOptions {
  const { settings, heapMb, bootstrapPassword, version } = planned;
  const initialMasterNodes = list(settings, 'cluster.initial_master_nodes');
  const diskBytes = fileSystemBytes(machine);
  return {
    name: text(settings, 'node.name')!,
    ...(version === undefined ? {} : { version }),
    roles: list(settings, 'node.roles')!,
    zone: text(settings, 'node.attr.zone')!,
    ip: machine.instance.privateIp,
    httpPort: Number(settings['http.port']),
    transportPort: Number(settings['transport.port']),
    memoryBytes: 2 * heapMb * 1024 ** 2,
    security: nodeSecurity(planned),
    settings: electedSettings(settings),
    securityStartMs: random.fork('security').int(securityMs.least, securityMs.most),
    ...(diskBytes === undefined ? {} : { diskBytes }),
    ...(bootstrapPassword === undefined ? {} : { bootstrapPassword }),
    ...(initialMasterNodes === undefined ? {} : { initialMasterNodes }),
  };
}
