import { expect, it } from 'vitest';
import { decideStart, type StartFacts } from './decide-start.ts';

const facts = (change: Partial<StartFacts>): StartFacts => ({
  lifecycleState: 'Pending:Wait',
  tokenWaits: false,
  configured: true,
  bootstrapCompleted: false,
  ...change,
});

const table: [string, Partial<StartFacts>, string][] = [
  ['registers with a waiting token', { tokenWaits: true, configured: false }, 'register'],
  ['waits for its token', { configured: false }, 'wait'],
  ['completes bootstrap once registered', {}, 'complete-bootstrap'],
  ['completes bootstrap when it enters the warm pool', { lifecycleState: 'Warmed:Pending:Wait' }, 'complete-bootstrap'],
  ['waits at the gate after bootstrap', { bootstrapCompleted: true }, 'wait'],
  ['waits while the group still proceeds', { lifecycleState: 'Pending:Proceed', bootstrapCompleted: true }, 'wait'],
  ['waits in the warm pool', { lifecycleState: 'Warmed:Stopped' }, 'wait'],
  ['starts the service in service', { lifecycleState: 'InService', bootstrapCompleted: true }, 'start-service'],
  [
    'registers again in service when the platform has forgotten it',
    { lifecycleState: 'InService', tokenWaits: true },
    'register',
  ],
  ['does not start without a registration', { lifecycleState: 'InService', configured: false }, 'wait'],
  ['waits when the group does not know it', { lifecycleState: undefined }, 'wait'],
];

it.each(table)('%s', (_, change, kind) => {
  expect(decideStart(facts(change)).kind).toBe(kind);
});
