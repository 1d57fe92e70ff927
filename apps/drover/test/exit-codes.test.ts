import { exitCodes as cliExitCodes } from '@drover/cluster-cli/exit-codes';
import { exitCodes } from '@drover/operator/exit-codes';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, expect, it } from 'vitest';
import { droverInterrupted, droverOnCluster } from './operator.test-support.ts';

const from = '8.18.8';
const to = '8.19.21';
const inputs = { dataCount: 2, ui: true, elasticsearchVersion: from };
const minute = 60_000;
let stage: ClusterStage;

beforeAll(async () => {
  stage = await ClusterStage.open(inputs);
  await search('PUT', '/docs', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
  await search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  await stage.pass(65);
}, 300_000);

const search = (method: string, path: string, body?: unknown) => stage.deployed.search(method, path, body);
const replicas = async (count: number) => {
  await search('PUT', '/docs/_settings', { index: { number_of_replicas: count } });
  await stage.pass(1);
};
const copyRate = (rate: string | null) =>
  search('PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': rate } });
const pin = (name: string | null) =>
  search('PUT', '/solo/_settings', { index: { 'routing.allocation.require._name': name } });
const doctor = () => droverOnCluster(stage, 'cluster', 'doctor');
const upgrade = (...words: string[]) => droverOnCluster(stage, 'cluster', 'upgrade', '--to', to, ...words);
/** The instance with the only copy of an index. */
async function holder(): Promise<string> {
  const [row] = await stage.deployed.search<{ node: string }[]>('GET', '/_cat/shards/solo?format=json');
  // Of a copy that moves, `from -> to`.
  const [name] = row!.node.split(' ');
  return stage.deployed.inService(stage.groups.data).find((id) => stage.deployed.nodeOf(id).name === name)!;
}
const onNode = async (command: string) => await stage.deployed.run(await holder(), `cluster-cli ${command}`);
const drain = 'cluster decommission-node --reason test';
/** The instance whose drain was interrupted: the copy may have left it meanwhile. */
let draining: string;
/** The node stays in service. */
const withdrawDrain = async () => {
  for (const { node_id } of await stage.deployed.records()) await search('DELETE', `/_nodes/${node_id}/shutdown`);
  await stage.pass(1);
};

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface CodeRow {
  /** Ends with the code. */
  cause(): Promise<Ended>;
  /** Text of its output. */
  readonly says: RegExp;
  /** As it says; the last command ends with 0. */
  remedy(): Promise<Ended>;
}

type CodeRows = Readonly<Record<string, CodeRow>>;

const ofDrover: CodeRows = {
  failed: {
    async cause() {
      await replicas(3);
      return await doctor();
    },
    says: /cluster-not-green/,
    async remedy() {
      await replicas(1);
      return await doctor();
    },
  },
  notAllRead: {
    async cause() {
      const heal = stage.fault({
        service: 'ssm',
        effect: { kind: 'error', status: 400, code: 'AccessDeniedException' },
      });
      const ended = await doctor();
      heal();
      return ended;
    },
    says: /unknown/i,
    remedy: doctor,
  },
  blocked: {
    cause: () => upgrade(),
    says: /blocks +started-copy-elsewhere: solo/,
    async remedy() {
      await search('PUT', '/solo/_settings', { index: { number_of_replicas: 1 } });
      await stage.pass(1);
      return await upgrade('--dry-run');
    },
  },
  interrupted: {
    cause: () => droverInterrupted(stage, 3 * minute, 'cluster', 'upgrade', '--to', to),
    says: /interrupted: run it again/,
    async remedy() {
      const again = await upgrade();
      expect(again.stderr).toContain('go on with --resume');
      return await upgrade('--resume', '--dry-run');
    },
  },
  waiting: {
    cause: () => upgrade('--resume'),
    says: /deploy/,
    async remedy() {
      await stage.deploy({ ...inputs, elasticsearchVersion: to });
      return await upgrade();
    },
  },
};

const ofClusterCli: CodeRows = {
  failed: {
    cause: () => onNode(`${drain} nowhere-1`),
    says: /there is no node|nodes? /,
    remedy: () => onNode(`${drain} --dry-run`),
  },
  refused: {
    async cause() {
      await replicas(3);
      return await onNode(drain);
    },
    says: /yellow/,
    async remedy() {
      await replicas(1);
      return await onNode(`${drain} --dry-run`);
    },
  },
  timedOut: {
    async cause() {
      await copyRate('1b');
      return await onNode(`${drain} --wait-until-complete 30 --allow-timeout`);
    },
    says: /withdrawn/,
    async remedy() {
      await copyRate(null);
      const ended = await onNode(drain);
      await withdrawDrain();
      return ended;
    },
  },
  stalled: {
    async cause() {
      const node = stage.deployed.nodeOf(await holder());
      await pin(node.name);
      await search('PUT', `/_nodes/${node.id}/shutdown`, { type: 'remove', reason: 'test' });
      return await onNode(drain);
    },
    says: /shard \[0\].*\[solo\] cannot move/,
    async remedy() {
      await pin(null);
      const ended = await onNode(drain);
      await withdrawDrain();
      return ended;
    },
  },
  interrupted: {
    async cause() {
      await copyRate('1b');
      const instance = await holder();
      draining = instance;
      const running = stage.deployed.begin(instance, `cluster-cli ${drain}`);
      await stage.clock.advance(10_000);
      const machine = stage.world.machines.get(instance)!;
      for (const process of machine.processes()) if (process.name === 'cluster-cli') process.signal('SIGINT');
      return await stage.drive(running);
    },
    says: /Elasticsearch goes on draining/,
    async remedy() {
      await copyRate(null);
      const ended = await stage.deployed.run(draining, `cluster-cli ${drain}`);
      await withdrawDrain();
      return ended;
    },
  },
};

type Codes = Readonly<Record<string, number>>;
/** In the order of the rows, each of which goes on where the one before ended. */
const casesOf = (codes: Codes, rows: CodeRows) =>
  Object.entries(rows).map(([name, row]) => ({ name, code: codes[name]!, row }));

it.each([
  ['drover', exitCodes, ofDrover],
  ['cluster-cli', cliExitCodes, ofClusterCli],
] as const)('every exit code of %s other than success and usage is caused here', (_, codes, rows) => {
  expect(['done', 'usage', ...Object.keys(rows)].toSorted()).toEqual(Object.keys(codes).toSorted());
});

async function play(code: number, { cause, says, remedy }: CodeRow): Promise<void> {
  const ended = await cause();
  const printed = `${ended.stdout}${ended.stderr}`;
  expect(ended.exitCode, printed).toBe(code);
  expect(printed).toMatch(says);
  const after = await remedy();
  expect(after.exitCode, `${after.stdout}${after.stderr}`).toBe(0);
}

it.each(casesOf(cliExitCodes, ofClusterCli))(
  'cluster-cli ends with $code ($name), and succeeds once what it printed is done',
  async ({ code, row }) => await play(code, row),
  120_000,
);

it.each(casesOf(exitCodes, ofDrover))(
  'drover ends with $code ($name), and succeeds once what it printed is done',
  async ({ code, row }) => await play(code, row),
  120_000,
);

it('every node runs the new version, and doctor finds nothing wrong, after all of these', async () => {
  await stage.pass(20);
  expect([...stage.deployed.nodes.values()].map(({ version }) => version)).toEqual(Array(5).fill(to));
  expect(await doctor()).toMatchObject({ exitCode: 0 });
});
