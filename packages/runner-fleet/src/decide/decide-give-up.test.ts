import { expect, it } from 'vitest';
import { decideGiveUp } from './decide-give-up.ts';

it.each(['Pending', 'Pending:Wait', 'Warmed:Pending:Wait', undefined])(
  'gives a launch up while the instance is %s',
  (state) => {
    expect(decideGiveUp(state)).toEqual({ kind: 'abandon' });
  },
);

it.each(['InService', 'Terminating:Wait', 'Warmed:Stopped', 'Standby'])('refuses while the instance is %s', (state) => {
  expect(decideGiveUp(state)).toMatchObject({ kind: 'refusal', name: 'not-launching' });
});
