import { Secret, VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { ActionsService } from './actions-service.ts';
import { sessionOpening } from './demand-service.ts';

const conflict = 'GitHub.Actions.Runtime.WebApi.RunnerScaleSetSessionConflictException, GitHub.Actions.Runtime.WebApi';

it.each([
  ['names it', 'The runner scale set ci already has an active session for owner ci_demand-1.', 'ci_demand-1'],
  ['names it without a full stop', 'The runner scale set ci already has an active session for owner arc-1', 'arc-1'],
  ['does not name it', 'The actions runner scaleset ci already has an active session.', undefined],
])('a refused session has the owner of the one that is open where the service %s', async (_, message, heldBy) => {
  const at = { url: 'https://actions.example', token: new Secret('t') };
  const connection = { current: async () => at, instead: async () => at, renew: async () => {} };
  const refuse = async () =>
    new Response(JSON.stringify({ typeName: conflict, message }), { status: 409, headers: { activityid: 'a-1' } });
  const service = new ActionsService({
    connection: connection as unknown as ConstructorParameters<typeof ActionsService>[0]['connection'],
    clock: new VirtualClock(),
    fetch: refuse as typeof fetch,
    subsystem: 'demand',
  });
  expect(await sessionOpening(service, 'us').openSession(1)).toEqual({ heldBy });
});
