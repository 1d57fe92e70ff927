import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootFilesystem } from '@drover/cloud-machines/linux';
import { type Clients, clients, deployCloudAssembly, type World } from '@drover/cloud-world';
import { groupNames } from '@drover/core/names/search-cluster';
import { type ClusterInputs, synthesiseCluster } from '@drover/stage/cluster-template';
import { searchFilesystem } from '../linux/image.ts';
import { LinuxWorld, say } from '../linux/linux-world.ts';
import { MissingApis } from './missing-apis.ts';

const mebibyte = 1024 ** 2;
/** Half of it is heap. */
const nodeMemory = 800 * mebibyte;
const clusterName = 'logs';
/** Five Java processes start on two cores. */
const deployLimitSeconds = 1000;
const hieraConfig = '/etc/story/hiera.yaml';

/**
 * A search cluster whose instances are real Linux machines with real Elasticsearch nodes, configured by the template's user data. The
 * package of Elasticsearch is one of Elastic's test distribution with stand-ins for what that is without: see scripts/machines/elasticsearch.
 */
export class LinuxCluster {
  readonly linux: LinuxWorld;
  readonly aws: Clients;

  private constructor(linux: LinuxWorld) {
    this.linux = linux;
    this.aws = clients(linux.world);
  }

  /** Deploys, and waits until the stack is complete, which it is when the cluster is green. */
  static async deploy(inputs: ClusterInputs): Promise<LinuxCluster> {
    const repository = process.env.DROVER_ELASTICSEARCH_REPOSITORY;
    if (repository === undefined) throw new Error('scripts/test-machines.ts makes the package that this needs');
    process.env.CDK_VALIDATION = 'false';
    const folder = mkdtempSync(join(process.env.DROVER_MACHINES_FOLDER ?? tmpdir(), 'cluster-'));
    const layers = [keyLayer(folder, repository), await rootFilesystem(searchFilesystem, say)];
    const full = { clusterName, puppetHieraConfigPath: hieraConfig, ...inputs };
    const assembly = synthesiseCluster(mkdtempSync(join(folder, 'assembly-')), full);
    const linux = await LinuxWorld.open(folder, { layers, memoryBytes: nodeMemory, securityGroups: false });
    const { world } = linux;
    world.machines.onBoot(() => true, linux.image);
    serveRepository(world, repository);
    serveNodes(linux);
    new MissingApis(world, (instanceId) => linux.cloud.container(instanceId).spec.address);
    linux.start();
    const cluster = new LinuxCluster(linux);
    const deployed = deployCloudAssembly(world, assembly, { assetCommands: true });
    await cluster.explained(linux.within('the stack is complete', deployed, deployLimitSeconds));
    return cluster;
  }

  /** When something takes too long or fails, what the machines say of it is printed before they are gone. */
  async explained<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      await this.explain();
      throw error;
    }
  }

  async explain(): Promise<void> {
    for (const id of this.linux.running) {
      const script = `systemctl --failed --no-legend --plain; tail -n 30 /var/log/cloud-init-output.log; tail -n 30 /var/log/elasticsearch/*.log;
        journalctl --no-pager --unit=elasticsearch --unit=elasticsearch-seeds --unit=drover-commission --unit=drover-settle --lines=60 --output=cat;
        journalctl --no-pager --identifier=cluster-cli --lines=40 --output=cat`;
      say(`${id} ${this.stateOf(id)}\n${(await this.linux.try(id, script)).stdout}`);
    }
  }

  /** The instances of a group that are in service. */
  inService(kind: 'master' | 'data'): readonly string[] {
    const members = this.linux.world.observe.members();
    return members
      .filter(({ group, state }) => group.name === groupNames[kind](clusterName) && state === 'InService')
      .map(({ instanceId }) => instanceId);
  }

  stateOf(instanceId: string): string {
    return this.linux.world.observe.member(instanceId)?.state ?? 'gone';
  }

  /** One request to Elasticsearch from a node, by the command as an operator uses it. */
  async ask<T>(instanceId: string, method: string, path: string, body?: object): Promise<T> {
    const data = body === undefined ? '' : ` -d '${JSON.stringify(body)}'`;
    return JSON.parse(await this.linux.run(instanceId, `cluster-cli api ${method} '${path}'${data}`)) as T;
  }

  async end(): Promise<void> {
    await this.linux.end();
  }
}

/** Data of Puppet above the tree's own: the fingerprint of the key that signs the package here. */
function keyLayer(folder: string, repository: string): string {
  const layer = join(folder, 'key');
  const data = (name: string) => ({ name, datadir: '/opt/drover/puppet/data', path: name });
  const hiera = {
    version: 5,
    defaults: { data_hash: 'yaml_data' },
    hierarchy: [
      { name: 'key', datadir: '/etc/story', path: 'key.yaml' },
      data('role/%{facts.drover.role}.yaml'),
      data('common.yaml'),
    ],
  };
  const key = {
    url: 'https://artifacts.elastic.co/GPG-KEY-elasticsearch',
    fingerprint: readFileSync(join(repository, 'fingerprint'), 'utf8'),
  };
  mkdirSync(join(layer, 'etc/story'), { recursive: true });
  // JSON is YAML too.
  writeFileSync(join(layer, hieraConfig), JSON.stringify(hiera));
  writeFileSync(join(layer, 'etc/story/key.yaml'), JSON.stringify({ 'drover_search::repository_key': key }));
  return layer;
}

/** Elastic's download site: the key, and the repository of packages. */
function serveRepository({ network }: World, repository: string): void {
  network.register('artifacts.elastic.co', async ({ path }) => {
    const file = join(repository, path.replace(/^\/packages\/8\.x\/apt\//, ''));
    if (path.includes('..') || !existsSync(file))
      return { status: 404, headers: { 'content-type': 'text/plain' }, body: '' };
    return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: readFileSync(file) };
  });
}

/** Load balancers and functions of the world reach the real nodes. */
function serveNodes({ world, cloud }: LinuxWorld): void {
  const isNode = (host: string) => cloud.containers().some(({ spec }) => spec.address === host.split(':')[0]);
  world.network.register(isNode, async ({ method, host, path, query, headers, body }) => {
    const { host: _, 'content-length': __, connection: ___, ...rest } = headers;
    const url = `http://${host.split(':')[0]}:9200${path}${query === '' ? '' : `?${query}`}`;
    const sent = method === 'GET' || method === 'HEAD' ? {} : { body: Buffer.from(body) };
    const answer = await fetch(url, { method, headers: rest as Record<string, string>, ...sent });
    const received = { 'content-type': answer.headers.get('content-type') ?? 'application/json' };
    return { status: answer.status, headers: received, body: await answer.text() };
  });
}
