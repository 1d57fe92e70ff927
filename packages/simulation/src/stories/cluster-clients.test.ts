import { restartTag, softwareFile, softwareTag, trafficTag } from '@drover/core/names/search-cluster';
import { zoneName } from '@drover/stage/cluster-template';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';

import { targetsOf } from '../doctor/targets-of.ts';
import { UpgradeDriver } from '../scenarios/upgrade-driver.ts';
import { RequestClients } from './request-clients.ts';

const hour = 60 * 60_000;
const inputs = { dataCount: 2 };
const settingsFile = '/etc/elasticsearch/elasticsearch.yml';
const withClients = '0.9.5';

describe('clients of a search cluster whose nodes are restarted in place', () => {
  let stage: ClusterStage;
  let nodes: readonly string[];
  beforeAll(async () => {
    stage = await ClusterStage.open(inputs, 3, {
      filesOf: (version): Readonly<Record<string, string>> =>
        version === withClients ? { [settingsFile]: 'http.max_content_length: 500mb\n' } : {},
    });
    await stage.deployed.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
    await stage.pass(5);
    nodes = stage.deployed.inService();
  }, 300_000);

  const machine = (id: string) => stage.world.machines.get(id)!;
  const versionOf = (id: string) =>
    (JSON.parse(machine(id).files.get(softwareFile) ?? '{}') as { version?: string }).version;
  const stateOf = (id: string) => stage.world.observe.instance(id)!.tags[softwareTag]?.split(' ')[1];
  const atRest = async () => ({
    versions: [...new Set(nodes.map(versionOf))],
    states: [...new Set(nodes.map(stateOf))],
    sameNodes: stage.deployed.inService().toSorted().join() === nodes.toSorted().join(),
    health: await stage.deployed.health(),
    records: await stage.deployed.records(),
  });
  const good = (version: string) => ({
    versions: [version],
    states: ['taken'],
    sameNodes: true,
    health: 'green',
    records: [],
  });

  const states = async (group: string) => Object.values((await targetsOf(stage.deployed, group)).states).sort();
  const allTargets = async () => [...(await states('logs')), ...(await states('logs-data'))];
  const everyNode = Array<string>(5).fill('healthy');
  /** Clients that send requests while something happens. */
  async function during<T>(work: Promise<T>): Promise<{ readonly end: T; readonly clients: RequestClients }> {
    const clients = new RequestClients(stage.deployed, zoneName);
    clients.start('logs');
    const end = await stage.drive(work, 12 * hour);
    clients.stop();
    await stage.pass(1);
    return { end, clients };
  }

  it('a client that sends each request once sees no 5xx while a roll restarts every node, except within 10 s of an election, and one that retries none', async () => {
    await stage.deploySoftware(inputs, { version: withClients });
    const elections: number[] = [];
    stage.world.engine.journal.subscribe(({ name, at }) => {
      if (name.startsWith('elected master')) elections.push(at);
    });
    const { end, clients } = await during(new UpgradeDriver(stage.deployed).roll());
    const unexplained = clients.failures.filter(({ at }) => !elections.some((then) => Math.abs(at - then) <= 10_000));
    console.log(`${clients.sent} requests sent once, ${clients.failures.length} failed, ${elections.length} elections`);

    expect(end).toMatchObject({ kind: 'rolled', progress: { taken: 5, of: 5 } });
    expect(clients.sent).toBeGreaterThan(1_000);
    expect([unexplained, clients.givenUp]).toEqual([[], []]);
    expect(await allTargets()).toEqual(everyNode);
    expect(await atRest()).toEqual(good(withClients));
  }, 300_000);

  it('a node that cannot be taken out of its load balancer is restarted all the same, and then clients see it', async () => {
    const [node] = stage.deployed.inService('logs-data') as [string];
    const mend = stage.fault({
      service: 'elasticloadbalancing',
      operation: 'DeregisterTargets',
      effect: { kind: 'error', status: 500 },
    });
    const { end, clients } = await during(
      stage.deployed.begin(node, 'cluster-cli cluster prepare-restart --reason test'),
    );
    mend();

    expect(end).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('was not taken out of its load balancer'),
    });
    expect(clients.failures.map(({ what }) => what)).toContain('GET logs-data: 502');
    expect(await stage.deployed.run(node, 'cluster-cli cluster finish-restart')).toMatchObject({ exitCode: 0 });
    await stage.pass(2);
    expect(await allTargets()).toEqual(everyNode);
  });

  it('a command that dies after its node was taken out leaves a node that gets requests again within minutes of its record', async () => {
    const [node] = stage.deployed.inService('logs-data') as [string];
    const tag = (name: string) => stage.world.observe.instance(node)!.tags[name];
    const before = tag(trafficTag);
    void stage.deployed.begin(node, 'cluster-cli cluster prepare-restart --reason test');
    await stage.until('it is taken out', () => tag(trafficTag) !== before, hour);
    expect((await targetsOf(stage.deployed, 'logs-data')).states[node]).toBe('draining');
    for (const one of machine(node).processes()) if (one.argv.includes('prepare-restart')) one.signal('SIGKILL');
    await stage.pass(7);
    expect([stage.deployed.nodeOf(node).running, await states('logs-data')]).toEqual([true, ['healthy']]);

    await stage.deployed.search('DELETE', `/_nodes/${stage.deployed.nodeOf(node).id}/shutdown`);
    await stage.pass(6);
    expect([tag(restartTag), await allTargets()]).toEqual(['over', everyNode]);
  });
});
