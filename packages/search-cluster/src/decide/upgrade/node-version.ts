import { type Refusal, refuse } from '@drover/core';
import { compareVersions, isOlder } from '../../model/version.ts';

/** What is known on a node of the version that its configuration should install. */
export interface NodeVersionFacts {
  /** Of the user data: what the instance was launched with. */
  readonly launched: string;
  /** What this one run was told to install. */
  readonly told: string | undefined;
  /** Of the process, whatever its files are by now. */
  readonly running: string | undefined;
  /** Of the package. */
  readonly installed: string | undefined;
  /** What ran before it was stopped for a restart that is not finished. */
  readonly stopped: string | undefined;
  /** What an earlier run wrote down. */
  readonly written: string | undefined;
}

/** Elasticsearch runs where its package is to be replaced. */
export const elasticsearchRuns = 'elasticsearch-runs';

/**
 * The version for one run of a node's configuration. What a node is comes before what anybody wanted it to be: a process keeps the files
 * that it was started from, and without a process the package stays that is there. Only a run that was told of another version, while
 * nothing runs, changes it; when that run fails, the next one finds the node as it is.
 */
export function decideNodeVersion(
  facts: NodeVersionFacts,
): string | Refusal<typeof elasticsearchRuns | 'older-version'> {
  const { launched, told, running } = facts;
  if (told === undefined) return running ?? facts.installed ?? facts.stopped ?? facts.written ?? launched;
  if (isOlder(told, launched))
    return refuse('older-version', `version ${told} is older than ${launched}, which this node was launched with`);
  if (running === undefined || compareVersions(running, told) === 0) return told;
  return refuse(
    elasticsearchRuns,
    `Elasticsearch ${running} runs on this node, so that its files cannot be replaced by those of ${told}`,
    'stop it first, with cluster-cli cluster prepare-restart',
  );
}
