import type { ControlName, Controls } from '@drover/observation/api';
import { carryOut } from '../src/local/controls.ts';
import type { Deployment } from '../src/local/deployment.ts';
import { LocalWorld } from '../src/local/local-world.ts';
import { type ChangedInputs, type ExampleChoices, synthesise } from '../src/local/synthesise.ts';

const platformApi = 'http://127.0.0.1:8602';

/** The example, synthesised. */
export async function exampleDeployment(
  choices: Partial<ExampleChoices> = {},
  changed: ChangedInputs = {},
): Promise<Deployment> {
  await LocalWorld.preload();
  return await synthesise({ platformApi, onDemandBaseCapacity: undefined, ...choices }, changed);
}

/** A world of `drover local` whose time the test moves, and its controls. */
export async function deployWorld(
  deployment: Deployment,
  {
    seed = 'test',
    jobsPerHour = 0,
    choices = {},
    quickReplay = false,
    realNow = () => 0,
    realSleep = async () => {},
  }: {
    readonly seed?: string;
    readonly jobsPerHour?: number;
    readonly choices?: Partial<ExampleChoices>;
    readonly quickReplay?: boolean;
    readonly realNow?: () => number;
    readonly realSleep?: (ms: number) => Promise<void>;
  } = {},
) {
  const local = new LocalWorld({
    deployment,
    resynthesise: (changed) => synthesise({ platformApi, onDemandBaseCapacity: undefined, ...choices }, changed),
    quickReplay,
    seed,
    startedAt: Date.UTC(2026, 5, 1),
    speed: 60,
    jobsPerHour,
    realNow,
    realSleep,
  });
  await local.deploy();
  /** A refusal is thrown once the time that the act takes has passed. */
  const control = async <Name extends ControlName>(
    name: Name,
    input: Controls[Name],
    act = () => carryOut(local, name, input as never),
  ) => {
    const done = act().then(
      () => undefined,
      (error: unknown) => error,
    );
    await local.clock.advance(1_000);
    const trouble = await done;
    if (trouble !== undefined) throw trouble;
  };
  return { local, control };
}
