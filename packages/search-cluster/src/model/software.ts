/** The software of search nodes: programs, their Node, the Puppet tree, and the settings of the stack. */
export interface Software {
  readonly version: string;
  /** Of everything else: two with the same digest are the same. */
  readonly digest: string;
  readonly archives: readonly SoftwareArchive[];
  /** By the role of a node: what Puppet and `cluster-cli` act on, by the root of the fact. */
  readonly facts: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

export interface SoftwareArchive {
  /** In the state bucket. */
  readonly key: string;
  readonly sha256: string;
  /** Only what begins with this is unpacked, without it. */
  readonly prefix: string;
  /** Below /opt/drover. */
  readonly into: string;
}

/** The software that a deployment asks for. */
export interface WantedSoftware extends Software {
  /** The input elasticsearch_version. No part of the digest: only an upgrade installs it. */
  readonly elasticsearchVersion: string;
  /** Its programs and its Puppet tree know groups beside masters and data nodes. Undefined before there were any. */
  readonly knowsGroups?: boolean;
}

/** The software that every node should have, with the way back. */
export interface SoftwarePointer extends WantedSoftware {
  /** Every node has had it. Until then an instance that is launched takes `before`. */
  readonly proven: boolean;
  /** The last one that was proven. */
  readonly before?: WantedSoftware;
  /** Ids of the latest requests of CloudFormation that were carried out. Lambda may deliver one twice, and after the next one. */
  readonly requests?: readonly string[];
}

const plain = (software: WantedSoftware): WantedSoftware => {
  const { version, digest, archives, facts, elasticsearchVersion, knowsGroups } = software;
  return {
    ...{ version, digest, archives, facts, elasticsearchVersion },
    ...(knowsGroups === undefined ? {} : { knowsGroups }),
  };
};

/** Roles of groups that the stack has got since: their first nodes boot with the programs of the others, by their own facts. */
const withNewGroups = (software: WantedSoftware, { facts }: WantedSoftware): WantedSoftware => ({
  ...software,
  facts: { ...facts, ...software.facts },
});

/** Why nodes of a group that is new could not boot: the software of the others would make usual data nodes of them. */
export function whyNoNewGroup(current: SoftwarePointer | undefined, { facts }: WantedSoftware): string | undefined {
  if (current === undefined) return undefined;
  const { version, knowsGroups = false, facts: known } = lastProven(current);
  const roles = Object.keys(facts).filter((role) => !(role in known));
  return knowsGroups || roles.length === 0
    ? undefined
    : `the nodes have the software ${version}, which does not know node_groups: deploy without them, run drover cluster roll, then deploy again`;
}

/**
 * The pointer for other software. The first one counts as proven: there is nothing else to boot with. One that goes back
 * has no further way back: a second call must not go forward again.
 */
export function pointTo(current: SoftwarePointer | undefined, wanted: WantedSoftware): SoftwarePointer {
  if (current === undefined || current.before?.digest === wanted.digest) return { ...plain(wanted), proven: true };
  const { elasticsearchVersion } = wanted;
  if (current.digest === wanted.digest)
    return current.elasticsearchVersion === elasticsearchVersion ? current : { ...current, elasticsearchVersion };
  return { ...plain(wanted), proven: false, before: withNewGroups(lastProven(current), wanted) };
}

/** The software that an instance takes when it is launched. */
export const lastProven = ({ before, ...current }: SoftwarePointer): WantedSoftware =>
  plain(current.proven || before === undefined ? current : before);

/** How far an instance is with its software, as its tag says. */
export interface SoftwareReport {
  readonly digest: string;
  readonly state: 'taking' | 'taken' | 'failed';
  readonly because?: string;
}

/** Tags hold 256 characters (EC2 API Reference, Tag). */
const longestTag = 256;

export const reportText = ({ digest, state, because }: SoftwareReport): string =>
  `${digest} ${state}${because === undefined ? '' : `: ${because.replaceAll(/\s+/g, ' ')}`}`.slice(0, longestTag);

/** Undefined for an instance that has never said anything. */
export function reportIn(text: string | undefined): SoftwareReport | undefined {
  const [, digest, state, because] = /^(\S+) (taking|taken|failed)(?:: (.*))?$/.exec(text ?? '') ?? [];
  if (digest === undefined || state === undefined) return undefined;
  return { digest, state: state as SoftwareReport['state'], ...(because === undefined ? {} : { because }) };
}
