import type { FleetEvent } from './events.ts';

const lossTexts: Readonly<Record<string, string>> = {
  'worker-killed': 'its process was killed',
  'runner-removed': 'its runner was removed while it ran',
  'runner-replaced': 'another machine registered under its name',
  'runner-vanished': 'its machine, runner or network was gone for ten minutes',
  'never-reported': 'its instance is gone and never said how it ended',
  abandoned: 'its runner could not reach GitHub and gave it up',
  cancelled: 'its runner was stopped while it ran',
  'hook-failed': 'a hook script of the runner failed',
  'queued-too-long': 'no runner took it for a day',
};

/**
 * Number of requests in a row that find GitHub away before a runner gives its job up; GitHub itself only sees a lease
 * that ends.
 */
const givenUpAfter = 5;

/** Why a job was lost. */
export function lossText(because: string, unanswered = 0): string {
  const cause = because === 'runner-vanished' && unanswered >= givenUpAfter ? 'abandoned' : because;
  return lossTexts[cause] ?? cause;
}

/** The jobs that were lost, a sentence for each reason. */
export function lossesText(lost: readonly FleetEvent[]): string {
  const sentences = [...new Set(lost.map(({ why }) => why))].map((why) => {
    const jobs = lost.flatMap((one) => (one.why === why ? [one.job] : []));
    if (jobs.length === 1) return `Job ${jobs[0]} was lost: ${why}.`;
    return `${jobs.length} jobs (${jobs[0]} to ${jobs.at(-1)}) were lost, each because ${why}.`;
  });
  return sentences.join(' ');
}
