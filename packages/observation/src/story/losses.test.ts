import { describe, expect, it } from 'vitest';
import { lossesText, lossText } from './losses.ts';

describe('why a job was lost', () => {
  it.each([
    ['runner-vanished', 0, 'its machine, runner or network was gone for ten minutes'],
    ['runner-vanished', 4, 'its machine, runner or network was gone for ten minutes'],
    ['runner-vanished', 5, 'its runner could not reach GitHub and gave it up'],
    ['abandoned', 5, 'its runner could not reach GitHub and gave it up'],
    ['worker-killed', 5, 'its process was killed'],
    ['some new cause', 0, 'some new cause'],
  ])('%s with %i unanswered requests: %s', (because, unanswered, words) => {
    expect(lossText(because, unanswered)).toBe(words);
  });
});

it('jobs that were lost for the same reason share a sentence', () => {
  const lost = (job: number, why: string) => ({ at: job, kind: 'job-lost', job, why }) as const;
  expect(lossesText([])).toBe('');
  expect(lossesText([lost(68, 'A'), lost(69, 'A'), lost(70, 'B'), lost(71, 'A')])).toBe(
    '3 jobs (68 to 71) were lost, each because A. Job 70 was lost: B.',
  );
});
