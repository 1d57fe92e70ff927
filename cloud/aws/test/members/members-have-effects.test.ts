import { expect, it } from 'vitest';
import { inputMembers } from '../../src/account/modelled.ts';
import { addEffective } from './play.ts';
import { containers } from './steps/containers.ts';
import * as fleets from './steps/fleets.ts';
import { functions } from './steps/functions.ts';
import { identities, narrowSession, taggedSession } from './steps/identities.ts';
import { images } from './steps/images.ts';
import { logs, metrics } from './steps/observing.ts';
import { parameters, secrets } from './steps/secrets-and-parameters.ts';
import { events, stacks } from './steps/stacks.ts';
import { storage } from './steps/storage.ts';
import { targets } from './steps/targets.ts';
import { volumes } from './steps/volumes.ts';
import withoutEffect from './without-effect.json' with { type: 'json' };

const worlds = [
  ...[containers, events, functions, identities, images, logs, metrics, narrowSession, parameters],
  ...[secrets, stacks, storage, taggedSession, targets, volumes],
  ...Object.values(fleets),
];

it('leaving out any declared member of a request changes a response, or the member is listed with the reason', async () => {
  const effective = new Set<string>();
  for (const steps of worlds) await addEffective(effective, steps);
  const declared = Object.entries(inputMembers).flatMap(([service, operations]) =>
    Object.entries(operations).flatMap(([operation, names]) => names.map((name) => `${service}:${operation} ${name}`)),
  );

  const listed = Object.keys(withoutEffect).sort();
  expect(
    declared.filter((name) => !effective.has(name)).sort(),
    'give it an effect in a request below steps/, or its reason in without-effect.json',
  ).toEqual(listed);
});
