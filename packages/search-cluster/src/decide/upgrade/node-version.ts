import { type Refusal, refuse } from '@drover/core';
import { compareVersions, isOlder } from '../../model/version.ts';

/** A node's facts about the version that its configuration should install. */
export interface NodeVersionFacts {
  /** Of the user data: what the instance was launched with. */
  readonly launched: string;
  /** The version that this one run was ordered to install. */
  readonly told: string | undefined;
  /** Of the process, whatever its files are by now. */
  readonly running: string | undefined;
  /** Of the package. */
  readonly installed: string | undefined;
  /** The version that ran before the node was stopped for a restart that is not finished. */
  readonly stopped: string | undefined;
  /** The version that an earlier run wrote down. */
  readonly written: string | undefined;
}

/** Elasticsearch runs where its package is to be replaced. */
export const elasticsearchRuns = 'elasticsearch-runs';

/**
 * The version for one run of a node's configuration. The present state of a node comes before any intent: a process
 * keeps the files that it was started from, and without a process the installed package stays. Only a run that was
 * given another version, while nothing runs, changes it; when that run fails, the next one finds the node as it is.
 */
export function decideNodeVersion(
  facts: NodeVersionFacts,
): string | Refusal<typeof elasticsearchRuns | 'older-version'> {
  const { launched, told, running } = facts;
  if (told === undefined) return running ?? facts.installed ?? facts.stopped ?? facts.written ?? launched;
  // The user data may be newer than the cluster: a deployment does not upgrade.
  const least = facts.installed ?? launched;
  if (isOlder(told, least))
    return refuse('older-version', `version ${told} is older than ${least}, which this node has`);
  if (running === undefined || compareVersions(running, told) === 0) return told;
  return refuse(
    elasticsearchRuns,
    `Elasticsearch ${running} runs on this node, so that its files cannot be replaced by those of ${told}`,
    'stop it first, with cluster-cli cluster prepare-restart',
  );
}
