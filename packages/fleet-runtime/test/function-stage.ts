import { asFetch } from '@drover/cloud-engine';
import { jsonLogger, SeededRandom } from '@drover/core';
import { type FunctionSuffix, functionName } from '@drover/core/names/runner-fleet';
import { directCalls } from '@drover/stage/fleet';
import { FleetStage } from '@drover/stage/testing';
import {
  demandFunction,
  deregistrationFunction,
  type FunctionRuntime,
  imageFunction,
  recordMetricFunction,
  registrationFunction,
  runnerVersionFunction,
} from '../src/index.ts';

const programs: Readonly<Record<FunctionSuffix, (runtime: FunctionRuntime) => (event: unknown) => Promise<void>>> = {
  registration: registrationFunction,
  deregistration: deregistrationFunction,
  record_metric: recordMetricFunction,
  runner_version: runnerVersionFunction,
  demand: demandFunction,
  image: imageFunction,
};

/** Deploying a fleet takes seconds, and minutes on a loaded machine: no time limit decides a test. */
export const patienceMs = 600_000;

/** A deployed fleet whose functions do nothing by themselves: a test calls them, with whatever platform it likes. */
export class FunctionStage {
  readonly fleet: FleetStage;
  readonly log: string[] = [];

  private constructor(fleet: FleetStage) {
    this.fleet = fleet;
  }

  static async open(): Promise<FunctionStage> {
    const fleet = await FleetStage.open({ asgMinSize: 1, asgMaxSize: 4 });
    await fleet.untilOnline(1);
    fleet.fleet.world.operate.injectFunction(
      () => true,
      () => async () => {},
    );
    await fleet.setDesired(2);
    return new FunctionStage(fleet);
  }

  /** An instance that waits to be registered. */
  async pending(): Promise<string> {
    const waiting = () => [...this.fleet.group.members.values()].find(({ state }) => state === 'Pending:Wait');
    await this.fleet.fleet.until('an instance is Pending:Wait', () => waiting() !== undefined, 30 * 60_000);
    return waiting()!.instanceId;
  }

  /** Loses what was remembered, so that no pause of an earlier failure is kept. */
  async forget(): Promise<void> {
    const { FLEET_MEMORY_BUCKET: Bucket, FLEET_MEMORY_KEY: Key } = await this.#environment('registration');
    await this.call('s3', 'DeleteObject', { Bucket, Key });
  }

  /** A function with the environment that the template gave it, before its first invocation. */
  async load(suffix: FunctionSuffix, platform?: typeof fetch): Promise<(event: unknown) => Promise<void>> {
    const { world, codeHost, clock } = this.fleet.fleet;
    const handler = programs[suffix]({
      env: { ...(await this.#environment(suffix)), AWS_REGION: world.aws.region },
      clock,
      random: new SeededRandom(1),
      log: jsonLogger({ clock, write: (line) => this.log.push(line) }),
      fetch: platform ?? asFetch(codeHost.handle),
      aws: () => directCalls(world, () => ({ credentials: world.rootCredentials })),
    });
    return (event) => this.fleet.fleet.drive(handler(event), 10 * 60_000);
  }

  async call(service: 's3' | 'lambda' | 'secretsmanager' | 'monitoring', operation: string, input: object) {
    const { world } = this.fleet.fleet;
    const caller = { credentials: world.rootCredentials };
    return await this.fleet.fleet.drive(world.aws.call(service, operation, input, caller), 60_000);
  }

  /** Names of the token secrets. */
  tokens(): readonly string[] {
    return this.fleet.fleet.world.observe.secretNames().filter((name) => name.startsWith('actions-runner/'));
  }

  /** The lines of a level that the functions wrote. */
  logged(level: string): readonly Readonly<Record<string, string>>[] {
    return this.log.map((line) => JSON.parse(line) as Record<string, string>).filter((line) => line.level === level);
  }

  /** Whether there is a fleet memory. */
  async remembered(): Promise<boolean> {
    const { FLEET_MEMORY_BUCKET: Bucket, FLEET_MEMORY_KEY: Prefix } = await this.#environment('registration');
    const { Contents = [] } = (await this.call('s3', 'ListObjectsV2', { Bucket, Prefix })) as {
      readonly Contents?: object[];
    };
    return Contents.length > 0;
  }

  /** How often a metric was published so far. */
  get published(): number {
    const { entries } = this.fleet.fleet.world.engine.journal;
    return entries.filter(({ name, detail }) => name === 'PutMetricData' && detail?.by === 'root').length;
  }

  async #environment(suffix: FunctionSuffix): Promise<Readonly<Record<string, string>>> {
    const FunctionName = functionName('runners', suffix);
    const { Environment } = (await this.call('lambda', 'GetFunctionConfiguration', { FunctionName })) as {
      readonly Environment: { readonly Variables: Readonly<Record<string, string>> };
    };
    return Environment.Variables;
  }
}
