import { describeError, type Refusal, TerminalError, type WaitEnd } from '@drover/core';
import type { Software } from '../../model/software.ts';
import type { OwnSoftware } from '../../ports.ts';
import { endRestart, finishRestart, prepareRestart, type RestartRun } from '../restart/restart-in-place.ts';

export interface TakeRun extends RestartRun {
  readonly software: OwnSoftware;
}

export type TakeOutcome =
  | { readonly kind: 'taken'; readonly software: Software; readonly restarted: boolean }
  /** Nothing was changed. */
  | { readonly kind: 'waits'; readonly because: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'failed'; readonly because: string };

/**
 * Takes the software that was fetched for this node: under the lease, then two runs of the configuration of which the
 * second must change nothing, and a restart in place if Elasticsearch reads other files at its start. Each step may be
 * repeated: a run that dies is followed by one that goes on.
 */
export async function takeSoftware(run: TakeRun, waitMs: number): Promise<TakeOutcome> {
  const next = await run.software.next();
  if (next === undefined)
    throw new TerminalError('no software was fetched for this node', { remedy: 'drover cluster roll' });
  const restart = { reason: `software-${next.version}`, waitMs, allowUnavailable: false, allowMissingReplicas: false };
  // A node that stays up needs neither a quorum nor copies elsewhere; a restart, if one is needed, asks for both.
  const lease = await prepareRestart(run, { ...restart, keepRunning: true, allowUnavailable: true });
  if (lease.kind === 'timed-out') return { kind: 'waits', because: lease.because };
  if (lease.outcome.kind === 'refused') return { kind: 'refused', refusal: lease.outcome.refusal };
  const { digest } = next;
  await run.software.report({ digest, state: 'taking' });
  try {
    const restarted = await take(run, next);
    if (restarted) requireDone(await prepareRestart(run, restart));
    requireDone(await finishRestart(run, { waitMs, allowMissingReplicas: false }));
    await run.software.note(digest, undefined);
    await run.software.report({ digest, state: 'taken' });
    return { kind: 'taken', software: next, restarted };
  } catch (error) {
    const because = describeError(error);
    await run.software.report({ digest, state: 'failed', because });
    await giveBack(run);
    return { kind: 'failed', because };
  }
}

/** Returns whether Elasticsearch has to be started again. */
async function take({ software, onAction }: TakeRun, { version, digest }: Software): Promise<boolean> {
  const before = (await software.noted(digest)) ?? (await software.startFiles());
  await software.note(digest, before);
  await software.install();
  onAction(`software ${version} (${digest}) is in place`);
  await software.configure();
  if (await software.configure())
    throw new TerminalError('the configuration does not settle: its second run has changed something again', {
      remedy: 'see /var/log/puppet.log',
    });
  return (await software.startFiles()) !== before;
}

function requireDone(end: WaitEnd<{ readonly kind: string; readonly refusal?: Refusal }>): void {
  if (end.kind === 'timed-out') throw new TerminalError(end.because);
  if (end.outcome.refusal !== undefined) throw new TerminalError(end.outcome.refusal.reason);
}

/** A node that runs holds up no other one. One that does not keeps its record, by which its copies are waited for. */
async function giveBack(run: TakeRun): Promise<void> {
  try {
    await endRestart(run, (await run.search.local.identity()).nodeId);
  } catch (error) {
    run.onWarning(describeError(error));
  }
}
