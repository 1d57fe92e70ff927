import { describe, expect, it } from 'vitest';
import { lossText } from './tell.ts';

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
