import { TerminalError } from '@drover/core/errors';
import {
  facts as names,
  policiesOf,
  replicaClient,
  replicaPolicy,
  type SnapshotPolicy,
  type SnapshotPolicyInput,
  snapshotPolicies,
} from '@drover/core/names/search-cluster';
import type { Files } from './io.ts';

/** The configuration agent's facts about this node; undefined members are unknown. */
export interface NodeFacts {
  readonly elasticSecret?: string;
  readonly kibanaSystemSecret?: string;
  readonly snapshotsBucket?: string;
  /** The exporter's user, with its secret, if that is not the superuser. */
  readonly exporterUser?: string;
  readonly exporterSecret?: string;
  /** Secret of Kibana's token, where it logs in with one. */
  readonly kibanaTokenSecret?: string;
  /** The prefix of groups' and metrics' names, if it is not the cluster's name. */
  readonly resourceName?: string;
  /** `indices.recovery.max_bytes_per_sec`; undefined: left as it is. */
  readonly recoveryMaxBytesPerSec?: string;
  /** How long the copies of a lost node are waited for; undefined: as Elasticsearch does. */
  readonly nodeLeftDelay?: string;
  /** Days between two restore drills; 0: none. Undefined: as usual. */
  readonly restoreDrillDays?: number;
  /** Age in days at which Kibana's token and passwords are replaced; undefined: never. */
  readonly passwordRotationDays?: number;
  /** Whether the password of the superuser is among them. */
  readonly rotateElastic?: boolean;
  /** Undefined: the built-in ones. */
  readonly snapshotPolicies?: readonly SnapshotPolicy[];
  /** The place of a second set of snapshots; undefined without one. */
  readonly replica?: { readonly bucket: string; readonly client?: string };
}

/** Those of the cluster's own bucket. */
export const ownPoliciesOf = ({ snapshotPolicies: own = snapshotPolicies }: NodeFacts): readonly SnapshotPolicy[] =>
  own;

/** All that the masters keep. */
export const allPoliciesOf = (facts: NodeFacts): readonly SnapshotPolicy[] => [
  ...ownPoliciesOf(facts),
  ...(facts.replica === undefined ? [] : [replicaPolicy]),
];

/** Reads the agent's facts files; the first one that has a fact wins. */
export async function readFacts(files: Files): Promise<NodeFacts> {
  const folder = (await files.list(names.directory)).filter((name) => name.endsWith('.json')).sort();
  const documents: Record<string, unknown>[] = [];
  for (const path of [...names.files, ...folder.map((name) => `${names.directory}/${name}`)]) {
    const text = await files.read(path);
    if (text !== undefined) documents.push(parse(text, path));
  }
  const fact = (name: string) => documents.map((document) => document[name]).find((value) => typeof value === 'string');
  const any = (name: string) => documents.map((document) => document[name]).find((value) => value !== undefined);
  return {
    ...named('elasticSecret', fact(names.elasticSecret)),
    ...named('kibanaSystemSecret', fact(names.kibanaSystemSecret)),
    ...named('snapshotsBucket', fact(names.snapshotsBucket)),
    ...named('exporterUser', fact(names.exporterUser)),
    ...named('exporterSecret', fact(names.exporterSecret)),
    ...named('kibanaTokenSecret', fact(names.kibanaTokenSecret)),
    ...named('resourceName', fact(names.resourceName)),
    ...named('recoveryMaxBytesPerSec', fact(names.recoveryMaxBytesPerSec)),
    ...named('nodeLeftDelay', fact(names.nodeLeftDelay)),
    ...replicaIn(fact(names.snapshotReplicaBucket), fact(names.snapshotReplicaRegion)),
    ...daysIn('restoreDrillDays', any(names.restoreDrillDays)),
    ...daysIn('passwordRotationDays', any(names.passwordRotationDays)),
    ...(any(names.rotateElastic) === true ? { rotateElastic: true } : {}),
    ...ownPolicies(any(names.snapshotPolicies)),
  };
}

/** Of a repository that is missing. */
export const placeOf = (bucket: string | undefined): { readonly bucket: string } | undefined =>
  bucket === undefined ? undefined : { bucket };

const replicaIn = (bucket: unknown, region: unknown): Pick<NodeFacts, 'replica'> =>
  typeof bucket === 'string' ? { replica: { bucket, ...(region === undefined ? {} : { client: replicaClient }) } } : {};

const daysIn = (key: 'restoreDrillDays' | 'passwordRotationDays', value: unknown): Partial<NodeFacts> =>
  typeof value === 'number' ? { [key]: value } : {};

const ownPolicies = (value: unknown): Pick<NodeFacts, 'snapshotPolicies'> =>
  value === undefined ? {} : { snapshotPolicies: policiesOf(value as Readonly<Record<string, SnapshotPolicyInput>>) };

const named = (key: keyof NodeFacts, value: unknown) => (value === undefined ? {} : { [key]: value as string });

function parse(text: string, path: string): Record<string, unknown> {
  try {
    const root = (JSON.parse(text) as Record<string, unknown> | null)?.[names.root];
    return typeof root === 'object' && root !== null ? (root as Record<string, unknown>) : {};
  } catch (error) {
    throw new TerminalError(`facts file ${path} is not JSON`, {
      cause: error,
      remedy: 'let the configuration agent write it again',
    });
  }
}

const [factsFile] = names.files;

/** cloud-init's facts about this instance. */
export interface InstanceFacts {
  readonly drover: Readonly<Record<string, unknown>>;
  readonly elasticsearch: Readonly<Record<string, unknown>>;
}

/** Reads the facts file that cloud-init wrote; only search nodes have one. */
export async function readInstanceFacts(files: Files): Promise<InstanceFacts> {
  const text = await files.read(factsFile);
  if (text === undefined)
    throw new TerminalError(`there is no facts file ${factsFile}`, {
      remedy: 'run this on a search node, whose user data writes it',
    });
  try {
    const { drover, elasticsearch } = JSON.parse(text) as Partial<InstanceFacts>;
    return { drover: drover ?? {}, elasticsearch: elasticsearch ?? {} };
  } catch (error) {
    throw new TerminalError(`facts file ${factsFile} is not JSON`, { cause: error });
  }
}

/** A text among the facts of Elasticsearch. */
export function textFact(facts: InstanceFacts, name: string): string {
  const value = facts.elasticsearch[name];
  if (typeof value === 'string' && value !== '') return value;
  throw wrongFact(name, value, 'a text');
}

const wrongFact = (name: string, value: unknown, form: string) =>
  new TerminalError(`the fact ${names.root}.${name} is ${JSON.stringify(value) ?? 'missing'}, but it must be ${form}`, {
    remedy: `see ${factsFile}, which the user data writes`,
  });

const stateBucketFact = 'state_bucket';

/** The bucket in which the cluster keeps what outlives its nodes. */
export const stateBucket = async (files: Files): Promise<string> =>
  textFact(await readInstanceFacts(files), stateBucketFact);

/** A node that was not made by the template has none. */
export async function hasStateBucket(files: Files): Promise<boolean> {
  const { elasticsearch } = await readInstanceFacts(files).catch(() => ({ elasticsearch: {} }));
  return stateBucketFact in elasticsearch;
}

/** The prefix of the names of the cluster's groups and metrics. */
export const resourceNameIn = (facts: InstanceFacts): string =>
  textFact(facts, names.resourceName in facts.elasticsearch ? names.resourceName : 'cluster_name');

/** A number of at least 1 among the facts of Elasticsearch. */
export function countFact(facts: InstanceFacts, name: string): number {
  const value = facts.elasticsearch[name];
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw wrongFact(name, value, 'a number of at least 1');
}
