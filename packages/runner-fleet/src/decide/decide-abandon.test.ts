import { expect, it } from 'vitest';
import { decideAbandon } from './decide-abandon.ts';

it.each(['Pending', 'Pending:Wait', 'Warmed:Pending:Wait', undefined])(
  'gives a launch up while the instance is %s',
  (state) => {
    expect(decideAbandon(state)).toEqual({ kind: 'abandon' });
  },
);

it.each(['InService', 'Terminating:Wait', 'Warmed:Stopped', 'Standby'])('refuses while the instance is %s', (state) => {
  expect(decideAbandon(state)).toMatchObject({ kind: 'refusal', name: 'not-launching' });
});
