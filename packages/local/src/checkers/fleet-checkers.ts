import { FilterLogEventsCommand, type FilterLogEventsCommandOutput } from '@aws-sdk/client-cloudwatch-logs';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import type { JobLoss } from '@drover/cloud-github';
import { clients } from '@drover/cloud-world';
import { functionName, functionsOf, tokenSecretPrefix, typeGroupName } from '@drover/core/names/runner-fleet';
import type { Finding } from '@drover/operator/doctor/findings';
import { type DeployedFleet, writtenFiles } from '@drover/stage/fleet';
import type { FleetLimits, GroupLimits } from '@drover/stage/testing';
import { FleetLedger } from '../ledger/fleet-ledger.ts';
import { accountLoss, byUs, type JobAccount } from '../ledger/jobs.ts';
import { disagreements } from '../truth/disagreements.ts';
import { FleetTruth } from '../truth/fleet-truth.ts';
import { FleetWatch, type Stay } from './fleet-watch.ts';
import { JobsWatch } from './jobs-watch.ts';
import { SecretWatch } from './secret-watch.ts';
import { SweepWatch } from './sweep-watch.ts';

/** A place where a secret must not show, and what is written there. */
type Place = [place: string, text: string];

const minute = 60_000;
const hour = 60 * minute;
/** After the drain time the guard has a pass and the sweep a margin. */
const drainMarginMs = 30 * minute;
/** AWS ends a launch wait after 100 × 900 s. */
const longestLaunchWaitMs = 25 * hour + 10 * minute;
/** A fault is seen by one sweep and mended by the next. */
const sweepsToMend = 2;
/** A sweep may look at a list of runners that is five minutes old, and GitHub notices a lost runner later still. */
const sweepBlindMs = 6 * minute;
/** A sweep leaves token secrets alone for an hour. */
const sweptAfterMs = 60 * minute;
/** A sweep comes every 15 minutes; at rest at least two of them must have come through in this time. */
const restMs = 50 * minute;

/** Watches a fleet from outside and writes down every broken promise. */
export class FleetCheckers {
  readonly watch: FleetWatch;
  readonly sweeps: SweepWatch;
  readonly violations: string[] = [];
  readonly blames: Partial<Record<JobAccount, number>> = {};
  checks = 0;
  /** Jobs mode. */
  readonly jobs: JobsWatch | undefined;
  /** Of the group of each type; that of the default one is the first. */
  readonly ledgers: readonly FleetLedger[];
  readonly truth: FleetTruth;
  #modeChanged = false;
  readonly #fleet: DeployedFleet;
  readonly #limits: FleetLimits;
  readonly #judged = new Set<number>();
  readonly #secretSince = new Map<string, number>();
  readonly #runnerlessSince = new Map<string, number>();

  constructor(fleet: DeployedFleet, limits: FleetLimits) {
    this.#fleet = fleet;
    this.#limits = limits;
    this.watch = new FleetWatch(fleet.world, fleet.groupNames, (left) => this.#afterTransition(left));
    this.sweeps = new SweepWatch(functionName(fleet.groupName, 'deregistration'));
    fleet.world.engine.journal.subscribe((entry) => this.sweeps.note(entry));
    const expect = (holds: boolean, violation: string) => this.#expect(holds, violation);
    this.jobs = limits.jobs && new JobsWatch(fleet, expect);
    this.ledgers = fleet.groupNames.map((name) => {
      const of = { name, limits: () => this.#limitsOf(name) };
      return new FleetLedger(fleet, of, this.watch, expect);
    });
    this.truth = new FleetTruth(fleet, expect);
    new SecretWatch(
      fleet.world,
      () => fleet.secretValues,
      (place, text) => this.#expect(false, `a secret value shows in ${place}: ${text}`),
    );
  }

  /** From now on only what holds in both modes is checked: hosts of the old mode end their work beside those of the new one. */
  modeChanged(): void {
    this.#modeChanged = true;
    this.jobs?.stop();
  }

  /** Checks what must hold at every moment, faults or not. */
  async checkAlways(): Promise<void> {
    this.#checkJobs();
    for (const stay of this.watch.waiting()) this.#checkWait(stay);
    this.#checkSizes();
    // In jobs mode the windows of the demand mend, not the sweeps: `JobsWatch` counts them.
    if (this.jobs === undefined && !this.#modeChanged) this.#checkGhosts();
    this.#checkSecrets();
  }

  /** Checks what must hold once faults have stopped and two sweeps have come through. */
  checkAtRest(): void {
    const came = this.sweeps.countSince(this.#fleet.clock.now() - restMs);
    this.#expect(came >= sweepsToMend, `only ${came} sweeps have come through in ${restMs / minute} minutes of rest`);
    for (const ledger of this.ledgers) ledger.checkAtRest();
    if (this.#modeChanged) return;
    if (this.jobs === undefined) this.#checkGhosts();
    else this.jobs.checkAtRest();
  }

  /** The real command, and its pure part on facts of the world at the same moment, agree. */
  checkDoctor(real: readonly Finding[]): void {
    const ofWorld = this.truth.findings() ?? [];
    for (const disagreement of disagreements('fleet', real, ofWorld)) this.#expect(false, disagreement);
  }

  /** No runner without instance and no instance in service without runner, seen by two sweeps that came through. */
  #checkGhosts(): void {
    const names = new Set(this.#fleet.codeHost.registry.runners.map(({ name }) => name));
    for (const name of names)
      this.#expect(
        !this.#shouldBeMended(this.watch.ghostSince(name)),
        `runner ${name} is left although its instance is gone`,
      );
    for (const id of this.#inService())
      this.#expect(
        names.has(id) || !this.#shouldBeMended(this.#runnerless(id)),
        `instance ${id} is in service without a runner`,
      );
    for (const id of [...this.#runnerlessSince.keys()]) if (names.has(id)) this.#runnerlessSince.delete(id);
  }

  /** Since when an instance in service was seen without a runner. */
  #runnerless(instanceId: string): number {
    const since = this.#runnerlessSince.get(instanceId) ?? this.#fleet.clock.now();
    this.#runnerlessSince.set(instanceId, since);
    return since;
  }

  #shouldBeMended(since: number | undefined): boolean {
    return since !== undefined && this.sweeps.countSince(since + sweepBlindMs) >= sweepsToMend;
  }

  /** No secret value in a log, an environment, user data, an argument list or the journal. */
  async checkSecrecy(secrets: readonly string[]): Promise<void> {
    const places = [...this.#userData(), ...(await this.#functionPlaces())];
    // Logs of days say the same again and again: a secret that is a word is looked for in the words that they have.
    const words = [...new Set(places.flatMap(([, text]) => text.match(/\w{20,}/g) ?? []))].join('\n');
    const everything = places.map(([, text]) => text).join('\n');
    for (const secret of secrets) {
      const [place = '', text = ''] = (/^\w{20,}$/.test(secret) ? words : everything).includes(secret)
        ? places.find(([, written]) => written.includes(secret))!
        : [];
      this.#expect(
        place === '',
        `a secret value shows in ${place}: ${text.replaceAll(secret, '[secret]').slice(0, 200)}`,
      );
    }
  }

  /** Journals, argument lists and environments of machines are read while they are written (`SecretWatch`). */
  #userData(): Place[] {
    const texts = new Set(this.#fleet.world.machines.all().map(({ instance }) => instance.userData));
    // Files in it may be compressed.
    return [...texts].flatMap((text): Place[] => [
      ['user data', text],
      ...writtenFiles(text).map(({ path, content }): Place => [`${path} of the user data`, content]),
    ]);
  }

  async #functionPlaces(): Promise<Place[]> {
    const { lambda } = clients(this.#fleet.world);
    const places: Place[] = [];
    const bakes = this.#fleet.world.observe.functionNames().includes(functionName(this.#fleet.groupName, 'image'));
    for (const suffix of functionsOf(this.jobs === undefined ? 'idle' : 'jobs', bakes)) {
      const FunctionName = functionName(this.#fleet.groupName, suffix);
      const { Environment, LoggingConfig } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
      places.push([`the environment of ${FunctionName}`, JSON.stringify(Environment)]);
      const lines = await this.#logLines(LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`);
      places.push(...lines.map((line): Place => [`the log of ${FunctionName}`, line]));
    }
    return places;
  }

  /** Every page; without the wire, for a day of a function is ten thousand lines. */
  async #logLines(logGroupName: string): Promise<string[]> {
    const { aws, rootCredentials } = this.#fleet.world;
    const logs = aws.directClient('logs', { credentials: rootCredentials });
    const lines: string[] = [];
    let nextToken: string | undefined;
    do {
      const input = { logGroupName, limit: 10_000, nextToken };
      const page: FilterLogEventsCommandOutput = await logs.send(new FilterLogEventsCommand(input));
      for (const { message = '' } of page.events ?? []) lines.push(message);
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
    return lines;
  }

  /** The account of a lost job; undefined while it is not lost. */
  accountOf(jobId: number): JobAccount | undefined {
    const loss = this.#fleet.codeHost.registry.queue.losses.findLast(({ job }) => job.id === jobId);
    return loss && this.#account(loss);
  }

  #account(loss: JobLoss): JobAccount {
    return accountLoss(loss, this.watch.fateOf(loss.runner?.name ?? ''), this.#limits.allowedDrainTimeMs);
  }

  #checkJobs(): void {
    for (const loss of this.#fleet.codeHost.registry.queue.losses) {
      if (this.#judged.has(loss.job.id)) continue;
      this.#judged.add(loss.job.id);
      const fate = this.watch.fateOf(loss.runner?.name ?? '');
      const account = this.#account(loss);
      this.blames[account] = (this.blames[account] ?? 0) + 1;
      this.#expect(
        !byUs.has(account),
        `job ${loss.job.id} was lost by us on ${loss.runner?.name}: ${account}, ${loss.cause} at ${new Date(loss.lostAt).toISOString()} ${JSON.stringify({ ...loss.job, ...fate, removal: loss.runner?.removal?.at })}`,
      );
    }
  }

  /** Between two looks of a scenario nothing may have been wrong either. */
  #afterTransition(left: Stay): void {
    if (left.state.endsWith(':Wait')) this.#checkWait(left);
    this.#checkSizes();
  }

  /** No instance stays in a wait state past its deadline. */
  #checkWait({ instanceId, state, since }: Stay): void {
    const limitMs = state.includes('Terminating')
      ? (this.#limits.longestDrainTimeMs ?? this.#limits.allowedDrainTimeMs) + drainMarginMs
      : longestLaunchWaitMs;
    const waitedMs = this.#fleet.clock.now() - since;
    this.#expect(waitedMs <= limitMs, `${instanceId} waits in ${state} since ${new Date(since).toISOString()}`);
  }

  #checkSizes(): void {
    for (const name of this.#fleet.groupNames) this.#checkSize(name);
  }

  #checkSize(name: string): void {
    const limits = this.#limitsOf(name);
    if (limits === undefined) return;
    const { minSize, maxSize } = limits;
    const desired = this.#fleet.group(name)?.desiredCapacity ?? minSize;
    this.#expect(
      desired >= minSize && desired <= maxSize,
      `desired capacity ${desired} is outside ${minSize} to ${maxSize} in ${name}`,
    );
    // "Rebalancing activities": a group may go over its maximum by 10 percent or one instance meanwhile.
    const most = maxSize + Math.max(1, Math.floor(maxSize / 10));
    const serving = this.watch.servingIn(name);
    this.#expect(serving <= most, `${serving} instances are more than ${maxSize} in ${name}`);
  }

  /** Undefined: nothing is known of a type with such a group. */
  #limitsOf(groupName: string): GroupLimits | undefined {
    const { groupName: ofDefault } = this.#fleet;
    if (groupName === ofDefault) return this.#limits;
    const { types = {} } = this.#limits;
    return Object.entries(types).find(([type]) => typeGroupName(ofDefault, type) === groupName)?.[1];
  }

  /** No token secret outlives its use and its first hour by more than two sweeps: one that sees it, one that deletes it. */
  #checkSecrets(): void {
    const prefixes = this.#fleet.groupNames.map(tokenSecretPrefix);
    const names = this.#fleet.world.observe.secretNames();
    const present = new Set(names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix))));
    for (const name of present) {
      const since = this.#secretSince.get(name) ?? this.#fleet.clock.now();
      this.#secretSince.set(name, since);
      const useless = this.watch.tokenUselessSince(name.slice(name.lastIndexOf('/') + 1));
      const left = useless !== undefined && this.#shouldBeMended(Math.max(useless, since) + sweptAfterMs);
      this.#expect(!left, `the token secret ${name} is left since ${new Date(since).toISOString()}`);
    }
    for (const name of [...this.#secretSince.keys()]) if (!present.has(name)) this.#secretSince.delete(name);
  }

  #inService(): readonly string[] {
    const members = [...(this.#group()?.members.values() ?? [])];
    return members.filter(({ state }) => state === 'InService').map(({ instanceId }) => instanceId);
  }

  #group() {
    return this.#fleet.group();
  }

  #expect(holds: boolean, violation: string): void {
    this.checks += 1;
    if (!holds && this.violations.length < 20 && !this.violations.includes(violation)) this.violations.push(violation);
  }
}
