import { TerminalError, type WaitStep, waitFor } from '@drover/core';
import { snapshotName } from '../decide/snapshots.ts';
import type { SnapshotFacts } from '../model/snapshot.ts';
import type { ClusterHealthReader } from '../ports.ts';
import type { RepositoryPlace, SnapshotRepositories, Snapshots } from '../snapshot-ports.ts';
import { ensureRepository } from './ensure-repository.ts';
import { type Polling, polling } from './poll-pause.ts';

export interface CreateSnapshotRun extends Polling {
  readonly health: ClusterHealthReader;
  readonly repositories: SnapshotRepositories;
  readonly snapshots: Snapshots;
  readonly place: RepositoryPlace | undefined;
  onWait(because: string): void;
}

/** Longer than any snapshot takes. */
const waitLimitMs = 48 * 3_600_000;

/** Starts a snapshot; returns its name. */
export async function createSnapshot(run: CreateSnapshotRun, repository: string): Promise<string> {
  const { clusterName } = await run.health.health();
  await ensureRepository(run.repositories, repository, run.place);
  const name = snapshotName(clusterName, run.clock.now(), run.random.int(0, 999));
  await run.snapshots.start(repository, name);
  return name;
}

/** Waits until the snapshot has ended; anything but a full success is a failure. */
export async function waitForSnapshot(run: CreateSnapshotRun, repository: string, name: string): Promise<void> {
  const end = await waitFor<SnapshotFacts, never, SnapshotFacts>({
    ...polling(run),
    deadlineAt: run.clock.now() + waitLimitMs,
    gather: () => run.snapshots.get(repository, name),
    decide: decideSnapshot,
    onWait: run.onWait,
  });
  if (end.kind === 'timed-out') throw new TerminalError(`snapshot ${name} did not end within 48 hours`);
  if (end.outcome.state !== 'SUCCESS') throw notSuccessful(end.outcome);
}

const decideSnapshot = (facts: SnapshotFacts): WaitStep<never, SnapshotFacts> =>
  facts.state === 'IN_PROGRESS'
    ? { kind: 'wait', because: `snapshot ${facts.name} is in progress` }
    : { kind: 'done', outcome: facts };

const notSuccessful = (facts: SnapshotFacts) =>
  new TerminalError(
    `snapshot ${facts.name} ended ${facts.state}${facts.failures.length === 0 ? '' : `: ${facts.failures[0]}`}`,
    { remedy: `see every shard: cluster-cli snapshots status REPOSITORY ${facts.name}` },
  );
