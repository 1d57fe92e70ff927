import { expect, it } from 'vitest';
import { refuse, renderRefusal } from './index.ts';

it.each([
  [refuse('not-green', 'the cluster is red'), undefined, 'refused (not-green): the cluster is red.'],
  [
    refuse('not-green', 'the cluster is red', 'wait'),
    undefined,
    'refused (not-green): the cluster is red. To fix it: wait',
  ],
  [
    refuse('stalled', 'a shard cannot move.', 'move it..'),
    'stalled',
    'stalled: a shard cannot move. To fix it: move it..',
  ],
  [refuse('busy', 'waits for a..b'), undefined, 'refused (busy): waits for a..b.'],
])('renders the refusal %j as one line (verb %s)', (refusal, verb, line) => {
  expect(renderRefusal(refusal, verb)).toBe(line);
});
