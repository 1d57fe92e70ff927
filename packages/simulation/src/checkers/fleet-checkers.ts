import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { ListSecretsCommand } from '@aws-sdk/client-secrets-manager';
import { functionName, functionSuffixes, tokenSecretPrefix } from '@drover/core/names/runner-fleet';
import { clients } from '@drover/embedded-cloud';
import type { FleetSimulation } from '../fleet/fleet-simulation.ts';
import { FleetWatch } from './fleet-watch.ts';
import { type Blame, judgeLoss } from './judge-loss.ts';

export interface FleetLimits {
  readonly allowedDrainTimeMs: number;
  readonly minSize: number;
  readonly maxSize: number;
}

/** A place where a secret must not show, and what is written there. */
type Place = [place: string, text: string];

const minute = 60_000;
const hour = 60 * minute;
/** After the drain time the guard has a pass and the sweep a margin. */
const drainMarginMs = 30 * minute;
/** AWS ends a launch wait after 100 × 900 s. */
const longestLaunchWaitMs = 25 * hour + 10 * minute;
/** A sweep comes every 15 minutes and wants two readings. */
const secretLifeMs = 60 * minute + 2 * 20 * minute;

/** Watches a fleet from outside and writes down every broken promise. */
export class FleetCheckers {
  readonly watch: FleetWatch;
  readonly violations: string[] = [];
  readonly blames: Partial<Record<Blame, number>> = {};
  checks = 0;
  readonly #fleet: FleetSimulation;
  readonly #limits: FleetLimits;
  readonly #judged = new Set<number>();
  readonly #secretSince = new Map<string, number>();

  constructor(fleet: FleetSimulation, limits: FleetLimits) {
    this.#fleet = fleet;
    this.#limits = limits;
    this.watch = new FleetWatch(fleet.world);
  }

  /** What must hold at every moment, faults or not. */
  async checkAlways(): Promise<void> {
    this.#checkJobs();
    this.#checkWaits();
    this.#checkSizes();
    await this.#checkSecrets();
  }

  /** What must hold once faults have stopped and two sweeps have passed. */
  checkAtRest(): void {
    const { registry } = this.#fleet.codeHost;
    const { ec2 } = this.#fleet.world.aws;
    for (const { name } of registry.runners) {
      const state = ec2.instances.get(name)?.state;
      this.#expect(
        state !== undefined && state !== 'terminated',
        `runner ${name} is left although its instance is ${state ?? 'gone'}`,
      );
    }
    const names = new Set(registry.runners.map(({ name }) => name));
    for (const id of this.#inService()) this.#expect(names.has(id), `instance ${id} is in service without a runner`);
  }

  /** No secret value in a log, an environment, user data, an argument list or the journal. */
  async checkSecrecy(secrets: readonly string[]): Promise<void> {
    const places = [...this.#localPlaces(), ...(await this.#functionPlaces())];
    const everything = places.map(([, text]) => text).join('\n');
    for (const secret of secrets) {
      const [place = '', text = ''] = everything.includes(secret)
        ? places.find(([, written]) => written.includes(secret))!
        : [];
      this.#expect(
        place === '',
        `a secret value shows in ${place}: ${text.replaceAll(secret, '[secret]').slice(0, 200)}`,
      );
    }
  }

  #localPlaces(): Place[] {
    const { world } = this.#fleet;
    const machines = world.machines
      .all()
      .flatMap((machine): Place[] => [
        ...['runner-agent', 'actions-runner'].flatMap((unit) =>
          machine.logOf(unit).map((line): Place => [`the log of ${unit}`, line]),
        ),
        ['user data', machine.instance.userData],
        ...machine.processes().map((process): Place => ['an argument list', process.argv.join(' ')]),
      ]);
    return [...world.engine.journal.entries.map((entry): Place => ['the journal', JSON.stringify(entry)]), ...machines];
  }

  async #functionPlaces(): Promise<Place[]> {
    const { lambda, logs } = clients(this.#fleet.world);
    const places: Place[] = [];
    for (const suffix of functionSuffixes) {
      const FunctionName = functionName(this.#fleet.groupName, suffix);
      const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
      places.push([`the environment of ${FunctionName}`, JSON.stringify(Environment)]);
      const { events } = await logs.send(
        new FilterLogEventsCommand({ logGroupName: `/aws/lambda/${FunctionName}`, limit: 10_000 }),
      );
      places.push(...(events ?? []).map(({ message = '' }): Place => [`the log of ${FunctionName}`, message]));
    }
    return places;
  }

  #checkJobs(): void {
    for (const loss of this.#fleet.codeHost.registry.queue.losses) {
      if (this.#judged.has(loss.job.id)) continue;
      this.#judged.add(loss.job.id);
      const fate = this.watch.fateOf(loss.runner?.name ?? '');
      const blame = judgeLoss(loss, fate, this.#limits.allowedDrainTimeMs);
      this.blames[blame] = (this.blames[blame] ?? 0) + 1;
      this.#expect(
        blame !== 'ours',
        `job ${loss.job.id} was lost by us on ${loss.runner?.name}: ${loss.cause} at ${new Date(loss.lostAt).toISOString()} ${JSON.stringify({ ...loss.job, ...fate, removal: loss.runner?.removal?.at })}`,
      );
    }
  }

  #checkWaits(): void {
    const now = this.#fleet.clock.now();
    for (const { instanceId, state, since } of this.watch.waiting()) {
      const limitMs = state.includes('Terminating')
        ? this.#limits.allowedDrainTimeMs + drainMarginMs
        : longestLaunchWaitMs;
      this.#expect(now - since <= limitMs, `${instanceId} waits in ${state} since ${new Date(since).toISOString()}`);
    }
  }

  #checkSizes(): void {
    const group = this.#group();
    this.#expect(
      group === undefined ||
        (group.desiredCapacity >= this.#limits.minSize && group.desiredCapacity <= this.#limits.maxSize),
      `desired capacity ${group?.desiredCapacity} is outside ${this.#limits.minSize} to ${this.#limits.maxSize}`,
    );
  }

  /** A token secret is used, or swept, within its hour and a sweep. */
  async #checkSecrets(): Promise<void> {
    const now = this.#fleet.clock.now();
    const prefix = tokenSecretPrefix(this.#fleet.groupName);
    const { secretsmanager } = clients(this.#fleet.world);
    const present = new Set<string>();
    let token: string | undefined;
    do {
      const answer = await secretsmanager.send(new ListSecretsCommand({ MaxResults: 100, NextToken: token }));
      for (const { Name = '' } of answer.SecretList ?? []) if (Name.startsWith(prefix)) present.add(Name);
      token = answer.NextToken;
    } while (token !== undefined);
    for (const name of present) {
      const since = this.#secretSince.get(name) ?? now;
      this.#secretSince.set(name, since);
      const instance = this.#fleet.world.aws.ec2.instances.get(name.slice(prefix.length));
      const waits = this.watch
        .waiting()
        .some(({ instanceId, state }) => instanceId === instance?.id && !state.includes('Terminating'));
      this.#expect(
        waits || now - since <= secretLifeMs,
        `the token secret ${name} is left since ${new Date(since).toISOString()}`,
      );
    }
    for (const name of [...this.#secretSince.keys()]) if (!present.has(name)) this.#secretSince.delete(name);
  }

  #inService(): readonly string[] {
    const members = [...(this.#group()?.members.values() ?? [])];
    return members.filter(({ state }) => state === 'InService').map(({ instanceId }) => instanceId);
  }

  #group() {
    return this.#fleet.world.aws.autoscaling.scaler.groups.get(this.#fleet.groupName);
  }

  #expect(holds: boolean, violation: string): void {
    this.checks += 1;
    if (!holds && this.violations.length < 20) this.violations.push(violation);
  }
}
