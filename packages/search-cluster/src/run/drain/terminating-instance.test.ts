import { expect, it } from 'vitest';
import { lookAtTermination } from './terminating-instance.ts';

const look = (target: string | undefined, lifecycleState?: string) => {
  let asked = 0;
  const metadata = { targetLifecycleState: async () => target, instanceId: async () => 'i-1' };
  const memberOf = async (instanceId: string) =>
    lifecycleState === undefined ? undefined : { instanceId, groupName: 'search-data', lifecycleState };
  const membership = async () => {
    asked += 1;
    return { memberOf };
  };
  return lookAtTermination(metadata, membership).then((termination) => ({ kind: termination.kind, asked }));
};

it.each([
  ['in service', 'InService', 'InService', 'not-terminating', 0],
  ['outside a group', undefined, undefined, 'not-terminating', 0],
  ['[rule 10] still launching: the target is already InService', 'InService', 'Pending:Wait', 'not-terminating', 0],
  ['terminating and held by the hook', 'Terminated', 'Terminating:Wait', 'waiting', 1],
  [
    '[rule 10] on its way, but past the wait: the target alone says nothing',
    'Terminated',
    'Terminating:Proceed',
    'not-waiting',
    1,
  ],
  ['on its way, before the wait', 'Terminated', 'Terminating', 'not-waiting', 1],
  ['retained', 'Terminated', 'Terminating:Retained', 'retained', 1],
  ['already out of its group', 'Terminated', undefined, 'not-waiting', 1],
])('looks whether an instance is terminating: %s', async (_title, target, state, kind, asked) => {
  expect(await look(target, state)).toEqual({ kind, asked });
});
