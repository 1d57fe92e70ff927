import type { ClusterHealth } from '../../model/health.ts';
import { isActive, type ShardCopy } from '../../model/shard.ts';
import { describeRecord, isDrain, type ShutdownRecord } from '../../model/shutdown.ts';
import { isDataNode, isMasterEligible, type VotingFacts } from '../../model/topology.ts';
import { compareVersions, isOlder, majorOf } from '../../model/version.ts';
import { whyNoPath } from './version-path.ts';

/** A node as an upgrade sees it. */
export interface UpgradeNode {
  readonly id: string;
  readonly name: string;
  readonly ip: string;
  readonly roles: readonly string[];
  readonly version: string;
  /** The instance it runs on; undefined when no instance of the groups has its address. */
  readonly instanceId: string | undefined;
  /** The agent's state in Systems Manager; undefined when it does not know it. */
  readonly agent: string | undefined;
  /** Whether its programs fetch and check everything before it is stopped: those that came by the software pointer. */
  readonly checksFirst: boolean;
}

/** Elasticsearch's own objections to the next version. */
export interface UpgradeObstacles {
  /** Critical entries of `GET /_migration/deprecations`. */
  readonly criticalDeprecations: readonly string[];
  /** Features of `GET /_migration/system_features` that need migration. */
  readonly featuresToMigrate: readonly string[];
  /** The symptom of the indicator `disk` of `GET /_health_report`, unless it is green. */
  readonly diskSymptom: string | undefined;
}

/** An instance of the groups without a node in the cluster. */
export interface AbsentInstance {
  readonly instanceId: string;
  readonly lifecycleState: string;
}

export interface UpgradeFacts {
  readonly to: string;
  readonly nodes: readonly UpgradeNode[];
  readonly absent: readonly AbsentInstance[];
  readonly records: readonly ShutdownRecord[];
  readonly health: ClusterHealth;
  readonly copies: readonly ShardCopy[];
  readonly voting: VotingFacts;
  readonly obstacles: UpgradeObstacles;
  /** Names of checks that the operator does without. */
  readonly skip: readonly string[];
}

/** One condition: `undefined` when it holds, otherwise why not. */
type Examine = (facts: UpgradeFacts, next: UpgradeNode) => string | undefined;

/** Frozen, cold, warm, hot, other data, nodes without data, masters ("Upgrade Elasticsearch"). */
const tiers = ['data_frozen', 'data_cold', 'data_warm', 'data_hot'] as const;

export function tierOf(node: Pick<UpgradeNode, 'roles'>): number {
  if (isMasterEligible(node)) return tiers.length + 2;
  const tier = tiers.findIndex((role) => node.roles.includes(role));
  if (tier >= 0) return tier;
  return isDataNode(node) ? tiers.length : tiers.length + 1;
}

/** Elasticsearch names what the next major does not take; a new minor takes all of it. */
const toNextMajor = ({ nodes, to }: UpgradeFacts) => nodes.some(({ version }) => majorOf(version) < majorOf(to));

const moving = (health: ClusterHealth) => health.initializingShards + health.relocatingShards;
const isOld = (facts: UpgradeFacts) => (node: UpgradeNode) => isOlder(node.version, facts.to);
const holdersOf = (copies: readonly ShardCopy[], nodeId: string) => copies.filter((copy) => copy.nodeId === nodeId);

/**
 * Every condition of an upgrade by its name, and when it is examined: `start` before the first node is touched, `node` before each node. Those of a
 * node are the upgrade predicates of Elastic's own operator, by other names.
 */
const conditions = {
  always: {
    'version-path': versionPath,
    'one-target': ({ nodes, to }) => {
      const newer = nodes.find((node) => compareVersions(node.version, to) > 0);
      return newer === undefined
        ? undefined
        : `node ${newer.name} runs ${newer.version} already; no node can be downgraded`;
    },
  },
  start: {
    'no-critical-deprecation': (facts) =>
      toNextMajor(facts) ? listed(facts.obstacles.criticalDeprecations, 'see GET /_migration/deprecations') : undefined,
    'features-migrated': (facts) =>
      toNextMajor(facts)
        ? listed(facts.obstacles.featuresToMigrate, 'run POST /_migration/system_features')
        : undefined,
  },
  node: {
    'every-node-reachable': everyReachable,
    'one-node-at-a-time': ({ absent, records, nodes }, next) => {
      const away = absent.filter(({ instanceId }) => instanceId !== next.instanceId).map(nameAbsent);
      const leaving = records
        .filter(({ nodeId }) => nodeId !== next.id)
        .map((record) => describeRecord(record, nodes.find(({ id }) => id === record.nodeId)?.name));
      const told = [listed(away, 'away'), listed(leaving, '')].filter((text) => text !== undefined);
      return told.length === 0 ? undefined : told.join('; ');
    },
    'not-leaving': ({ records }, next) =>
      records.some((record) => record.nodeId === next.id && isDrain(record))
        ? `node ${next.name} leaves the cluster`
        : undefined,
    'green-or-yellow': ({ health }) =>
      health.status === 'red' ? `the cluster is red (${health.unassignedShards} shards unassigned)` : undefined,
    'yellow-with-nothing-moving': ({ health }) =>
      health.status === 'yellow' && moving(health) > 0
        ? `the cluster is yellow and ${moving(health)} shards move`
        : undefined,
    'started-copy-elsewhere': copyElsewhere,
    'disk-space': ({ obstacles }) => obstacles.diskSymptom,
    'masters-healthy': ({ voting, nodes }, next) => {
      const missing = voting.committed.filter((id) => !nodes.some((node) => node.id === id));
      return isMasterEligible(next) && missing.length > 0
        ? `voting masters are missing: ${missing.join(', ')}`
        : undefined;
    },
    'higher-tier-first': (facts, next) => {
      const earlier = facts.nodes.filter(isOld(facts)).find((node) => tierOf(node) < tierOf(next));
      return earlier === undefined ? undefined : `node ${earlier.name} comes first`;
    },
    'masters-last': (facts, next) => {
      const others = facts.nodes.filter(isOld(facts)).filter((node) => !isMasterEligible(node));
      return isMasterEligible(next) && others.length > 0 ? `${others.length} other nodes are still old` : undefined;
    },
    'tier-stays': ({ nodes }, next) =>
      isDataNode(next) && nodes.filter((node) => tierOf(node) === tierOf(next)).length < 2
        ? `node ${next.name} is the only one of its tier`
        : undefined,
  },
} satisfies Record<string, Readonly<Record<string, Examine>>>;

export const upgradeChecks = Object.entries<Readonly<Record<string, Examine>>>(conditions).flatMap(([when, named]) =>
  Object.entries(named).map(([name, examine]) => ({ name, when: when as keyof typeof conditions, examine })),
);

export const nameAbsent = ({ instanceId, lifecycleState }: AbsentInstance): string =>
  `${instanceId} (${lifecycleState})`;

const listed = (names: readonly string[], what: string) =>
  names.length === 0
    ? undefined
    : `${names.slice(0, 5).join('; ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}${what === '' ? '' : `: ${what}`}`;

/** Nothing is begun that cannot be done on every node; after that only the next one counts. */
function everyReachable(facts: UpgradeFacts, next: UpgradeNode): string | undefined {
  const asked = facts.nodes.every(isOld(facts)) ? facts.nodes : [next];
  const strange = asked.filter((node) => node.instanceId === undefined).map(({ name }) => name);
  const silent = asked.filter(({ instanceId, agent }) => instanceId !== undefined && agent !== 'Online');
  return (
    listed(strange, 'no instance of the groups has their address') ??
    listed(
      silent.map(({ instanceId, agent = 'never registered' }) => `${instanceId} (${agent})`),
      'Systems Manager does not reach their agent, which carries the commands of an upgrade: see whether amazon-ssm-agent runs there, and the way from its subnet to Systems Manager',
    )
  );
}

/** Every version that runs must have a way to the target. */
function versionPath({ nodes, to }: UpgradeFacts): string | undefined {
  const versions = [...new Set(nodes.map(({ version }) => version))].sort(compareVersions);
  if (versions.length === 0) return 'no node was found';
  return versions.map((version) => whyNoPath(version, to)).find((because) => because !== undefined);
}

function copyElsewhere({ copies }: UpgradeFacts, next: UpgradeNode): string | undefined {
  const key = ({ index, shard }: ShardCopy) => `${index}/${shard}`;
  const elsewhere = new Set(copies.filter((copy) => isActive(copy) && copy.nodeId !== next.id).map(key));
  const lone = holdersOf(copies, next.id).filter((copy) => !elsewhere.has(key(copy)));
  return listed(
    lone.map(({ index, shard }) => `${index}[${shard}]`),
    `only on node ${next.name}`,
  );
}
