import { expect, it } from 'vitest';
import { decideStart, type StartFacts } from './decide-start.ts';

const now = 1_000_000_000;
const facts = (change: Partial<StartFacts>): StartFacts => ({
  lifecycleState: 'Pending:Wait',
  tokenWaits: false,
  configured: true,
  boot: 'done',
  bootstrapCompleted: false,
  notBefore: 0,
  ephemeral: false,
  ...change,
});

const table: [string, Partial<StartFacts>, string][] = [
  ['registers with a waiting token', { tokenWaits: true, configured: false }, 'register'],
  ['waits for its token', { configured: false }, 'wait'],
  ['completes bootstrap once registered', {}, 'complete-bootstrap'],
  ['completes bootstrap when it enters the warm pool', { lifecycleState: 'Warmed:Pending:Wait' }, 'complete-bootstrap'],
  ['waits for the end of cloud-init before it completes bootstrap', { boot: 'running' }, 'wait'],
  ['gives up a launch whose cloud-init failed', { boot: 'failed', tokenWaits: true }, 'abandon'],
  [
    'does not look at cloud-init once it is in service',
    { lifecycleState: 'InService', boot: 'failed' },
    'start-service',
  ],
  ['waits before it starts a listener again that ended', { lifecycleState: 'InService', notBefore: now + 1 }, 'wait'],
  ['starts a listener again after the pause', { lifecycleState: 'InService', notBefore: now }, 'start-service'],
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
  [
    'jobs mode: completes bootstrap without a runner when it enters the warm pool',
    { ephemeral: true, lifecycleState: 'Warmed:Pending:Wait', configured: false, tokenWaits: true },
    'complete-bootstrap',
  ],
  [
    'jobs mode: waits for cloud-init when it enters the warm pool',
    { ephemeral: true, lifecycleState: 'Warmed:Pending:Wait', configured: false, boot: 'running' },
    'wait',
  ],
  ['jobs mode: waits for its runner when it leaves the warm pool', { ephemeral: true, configured: false }, 'wait'],
  ['jobs mode: registers when it leaves the warm pool', { ephemeral: true, tokenWaits: true }, 'register'],
  ['waits when the group does not know it', { lifecycleState: undefined }, 'wait'],
];

it.each(table)('%s', (_, change, kind) => {
  expect(decideStart(facts(change), now).kind).toBe(kind);
});
