import { asFetch } from '@drover/cloud-engine';
import type { OperatorClients } from '@drover/operator/io';
import { FleetStage } from '@drover/stage/testing';
import { expect, it } from 'vitest';
import { main } from '../src/main.ts';
import { images, left, parameter, snapshots } from './image.test-support.ts';
import { memoryIo } from './memory-io.test-support.ts';
import '@drover/operator/image/image';

/** At the nth call of an operation, from 0: how often a bake looks differs from run to run. */
interface Death {
  readonly operation: string;
  readonly nth: number;
  readonly phase: 'before' | 'after';
}

const never = new Promise<never>(() => {});

/** Runs `drover image bake`, which dies just before or just after one of its calls. Returns its calls, and its exit code if it lived. */
async function bake({ fleet, aws }: FleetStage, death?: Death) {
  const calls: string[] = [];
  let die: () => void = () => {};
  const dead = new Promise<undefined>((resolve) => {
    die = () => resolve(undefined);
  });
  const dying = <Client extends { send(command: never): unknown }>(client: Client): Client =>
    ({
      ...client,
      config: (client as { config?: unknown }).config,
      send: async (command: { constructor: { name: string } }) => {
        const operation = command.constructor.name.replace(/Command$/, '');
        const nth = calls.filter((name) => name === operation).length;
        const here = death?.operation === operation && death.nth === nth ? death.phase : undefined;
        calls.push(operation);
        if (here !== 'before') {
          const answer = await client.send(command as never);
          if (here === undefined) return answer;
        }
        die();
        return await never;
      },
    }) as unknown as Client;
  const all = { ...aws, secrets: aws.secretsmanager };
  const clients: OperatorClients = {
    ...all,
    autoscaling: dying(all.autoscaling),
    ec2: dying(all.ec2),
    s3: dying(all.s3),
    ssm: dying(all.ssm),
  };
  const { io, said } = memoryIo({
    clock: fleet.clock,
    fetch: asFetch(fleet.world.network.from({ kind: 'operator', name: 'operator' })),
    aws: async () => clients,
  });
  const exitCode = await fleet.drive(Promise.race([main(['image', 'bake'], io), dead]), 120 * 60_000);
  return { calls, exitCode, stderr: said.stderr };
}

/** Each act, and not only the first of its kind. */
const thorough = process.env.DROVER_THOROUGH === '1';
/** `IMAGE_DEATHS=all npx vitest run apps/drover/test/image-crash.test.ts`: also before each act, and at the first reading of each kind. */
const everything = process.env.IMAGE_DEATHS === 'all';

function deaths(calls: readonly string[]): Death[] {
  const isAct = (name: string) => !/^(Describe|Get)/.test(name);
  const chosen = calls.flatMap((name, call) =>
    (isAct(name) && (thorough || everything)) || (calls.indexOf(name) === call && (isAct(name) || everything))
      ? [call]
      : [],
  );
  const phases = everything ? (['before', 'after'] as const) : (['after'] as const);
  return chosen.flatMap((call) => {
    const operation = calls[call]!;
    const nth = calls.slice(0, call).filter((name) => name === operation).length;
    return phases.map((phase) => ({ operation, nth, phase }));
  });
}

it('a bake may die after every act: the next run finishes it, and nothing but two images is left', {
  timeout: 600_000,
}, async () => {
  const stage = await FleetStage.open({
    scalingMode: 'jobs',
    asgMinSize: 0,
    idleRunnersTargetCount: 0,
    bakedImage: true,
  });
  await bake(stage);
  await bake(stage);
  const { calls } = await bake(stage);
  const acts = new Set(calls.filter((name) => !/^(Describe|Get)/.test(name)));
  expect([...acts].sort()).toEqual([
    'CreateImage',
    'CreateTags',
    'DeleteSnapshot',
    'DeregisterImage',
    'PutParameter',
    'RunInstances',
    'TerminateInstances',
  ]);
  const failures: string[] = [];
  const cases = deaths(calls);
  for (const death of cases) {
    const name = `${death.phase} ${death.operation} ${death.nth}`;
    const first = await bake(stage, death);
    if (first.exitCode !== undefined) failures.push(`${name}: never reached`);
    const { exitCode, stderr } = await bake(stage);
    if (exitCode !== 0) failures.push(`${name}: the next run ended with ${exitCode}: ${stderr}`);
    const [all, snaps, instances, current] = [
      await images(stage),
      await snapshots(stage),
      await left(stage),
      await parameter(stage),
    ];
    if (all.length !== 2 || !all.some(({ ImageId }) => ImageId === current))
      failures.push(`${name}: ${all.length} images, current ${current}`);
    if (snaps.length !== 2) failures.push(`${name}: ${snaps.length} snapshots`);
    if (instances.length > 0) failures.push(`${name}: ${instances.length} instances are left`);
  }

  expect(failures).toEqual([]);
  console.log(`image bake: ${cases.length} deaths in ${calls.length} calls`);
});
