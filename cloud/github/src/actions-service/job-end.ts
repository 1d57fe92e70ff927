import type { JobEnd } from '../jobs/job-queue.ts';

interface StepResult {
  readonly name?: string;
  readonly conclusion?: string;
}

/** The body of `completejob`. */
export interface Completion {
  readonly conclusion?: string;
  readonly stepResults?: readonly StepResult[] | null;
  /** Not the original's: the end of the steps' output, which it uploads elsewhere. */
  readonly output?: string;
}

/** The steps under which the original runs the hooks before and after a job (actions/runner, JobExtension.cs). */
const hookSteps: readonly (string | undefined)[] = ['Set up runner', 'Complete runner'];

/** One renewal fails for good after this many requests at least: from then on the runner has given its job up. */
const givenUpAfter = 5;

/**
 * The end of a job by its completion: its own result, or lost by its runner. A runner that is stopped calls its job failed and the step that
 * ran cancelled; one without a word of steps is the listener's, whose Worker is dead. `unanswered`: requests before this one that found GitHub away.
 */
export function endOf({ conclusion, stepResults, output }: Completion, unanswered = 0): JobEnd {
  const steps = stepResults ?? [];
  const said = output === undefined ? {} : { output };
  if (conclusion?.toLowerCase() === 'succeeded') return { result: 'succeeded', ...said };
  const ended = (how: string) => steps.filter(({ conclusion: own }) => own?.toLowerCase() === how);
  if (conclusion?.toLowerCase() === 'canceled' && unanswered >= givenUpAfter) return { lost: 'abandoned' };
  if (conclusion?.toLowerCase() === 'canceled' || ended('canceled').length > 0) return { lost: 'cancelled' };
  if (ended('failed').some(({ name }) => hookSteps.includes(name))) return { lost: 'hook-failed' };
  return steps.length === 0 ? { lost: 'worker-killed' } : { result: 'failed', ...said };
}
