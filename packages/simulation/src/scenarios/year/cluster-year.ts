import type { Random } from '@drover/core';
import { certificateFiles } from '@drover/core/names/search-cluster';
import { askClusterDoctor, operatorIo } from '@drover/local/truth/real-doctor';
import { rotateAuthority } from '@drover/operator/cluster/rotate-authority';
import { certificatesIn } from '@drover/search-cluster';
import { ClusterStage } from '@drover/stage/testing';
import { Clients } from './clients.ts';
import { ShownSecret } from './credentials.ts';
import { isWell, reachable, yearFaults } from './year-faults.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** The played part of a day without events: two runs of settle, and passes of the functions. */
const playedMinutes = 8;
const tokensPath = '/_security/service/elastic/kibana/credential';

export interface ClusterYearOptions {
  readonly seed: number;
  /** @default 365 */
  readonly days?: number;
  /** The input `password_rotation_days`. @default 30 */
  readonly everyDays?: number;
  /** Between two rotations of the authority. @default 61 */
  readonly authorityEveryDays?: number;
  /** @default 3 */
  readonly masterCount?: number;
}

export interface ClusterYear {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly checks: number;
  readonly faults: number;
  /** How many tokens and passwords there were, and authorities. */
  readonly tokens: number;
  readonly passwords: number;
  readonly authorities: number;
  /** Logins that were refused once. */
  readonly retries: number;
  readonly told: readonly string[];
}

/**
 * A year of a search cluster whose authority, token and passwords are replaced while nodes are lost, runs die and AWS
 * refuses calls. Of each day some minutes are played, and more until a rotation or a fault has ended; the rest passes without
 * any event. No client is refused for longer than a retry, and nothing is left over.
 */
export async function simulateClusterYear(options: ClusterYearOptions): Promise<ClusterYear> {
  const { everyDays = 30, masterCount = 3, seed } = options;
  const inputs = {
    ...{ masterCount, dataCount: 2, ui: true, kibanaAuth: 'service_token' as const, exporterUser: 'exporter' },
    ...{ passwordRotationDays: everyDays, rotateElastic: true, snapshotPolicies: {}, restoreDrillDays: 0 },
  };
  const stage = await ClusterStage.open(inputs, seed);
  // ListSecrets lags behind.
  await stage.pass(6);
  return await new Year(stage, await findSecrets(stage), options).play();
}

const descriptions = { elastic: 'password of elastic', exporter: 'password of exporter', token: 'token of the web UI' };
type Secrets = Readonly<Record<keyof typeof descriptions, ShownSecret>>;

async function findSecrets(stage: ClusterStage): Promise<Secrets> {
  const found = await (stage.deployed.aws('secretsmanager', 'ListSecrets') as Promise<{
    SecretList: readonly { readonly ARN: string; readonly Description?: string }[];
  }>);
  const described = (text: string) => found.SecretList.find(({ Description = '' }) => Description.startsWith(text))!;
  const entries = Object.entries(descriptions).map(([key, text]) => [key, new ShownSecret(stage, described(text).ARN)]);
  return Object.fromEntries(entries) as Secrets;
}

class Year {
  readonly #stage: ClusterStage;
  readonly #options: Required<Omit<ClusterYearOptions, 'masterCount'>>;
  readonly #random: Random;
  readonly #violations: string[] = [];
  readonly #told: string[] = [];
  readonly #values = { tokens: new Set<string>(), passwords: new Set<string>(), authorities: new Set<string>() };
  readonly #scheduled = new Set<string>();
  readonly #secrets: Secrets;
  readonly #clients: Clients;
  #asked = false;

  constructor(
    stage: ClusterStage,
    secrets: Secrets,
    { seed, days = 365, everyDays = 30, authorityEveryDays = 61 }: ClusterYearOptions,
  ) {
    this.#stage = stage;
    this.#options = { seed, days, everyDays, authorityEveryDays };
    this.#random = stage.world.engine.random.fork('year');
    this.#secrets = secrets;
    this.#clients = new Clients(stage, this.#secrets);
  }

  async play(): Promise<ClusterYear> {
    const { seed, days, everyDays, authorityEveryDays } = this.#options;
    await this.#stage.deployed.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
    await this.#stage.pass(5);
    let faults = 0;
    for (let number = 1; number <= days; number++) {
      // Calm at the end: what was begun has days to end.
      const isCalm = number > days - everyDays / 2;
      if (!isCalm && this.#random.chance(0.15)) faults += await this.#troubledDay(number);
      else await this.#day();
      if (number % authorityEveryDays === 0 && !isCalm) await this.#rotateAuthority(number);
    }
    await this.#judge();
    const { tokens, passwords, authorities } = this.#values;
    return {
      ...{ seed, faults, retries: this.#clients.retries, checks: this.#clients.checks, told: this.#told },
      violations: [...this.#violations, ...this.#clients.refused],
      ...{ tokens: tokens.size, passwords: passwords.size, authorities: authorities.size },
    };
  }

  async #troubledDay(number: number): Promise<number> {
    const name = this.#random.pick(Object.keys(yearFaults));
    const { begin, away = false } = yearFaults[name]!;
    this.#told.push(`day ${number}: ${name}`);
    const end = await begin(this.#stage, this.#random);
    await this.#day(!away);
    await end();
    return 1;
  }

  async #day(calm = true): Promise<void> {
    const { clock } = this.#stage;
    await this.#quieten();
    if (calm) clock.skip(day - playedMinutes * minute);
    await this.#played(calm);
    for (let more = 0; more < 6 && calm && !(await this.#webUiIsSettled()); more++) await this.#played(calm);
    if (!this.#asked && (await this.#secrets.elastic.value('AWSPENDING')) !== undefined) await this.#askDoctor();
    this.#values.tokens.add((await this.#secrets.token.value('AWSCURRENT')) ?? '');
    this.#values.passwords.add((await this.#secrets.elastic.value('AWSCURRENT')) ?? '');
    this.#values.authorities.add(this.#authorityOn(reachable(this.#stage)[0]!));
  }

  /** Two masters settle, one after the other. */
  async #played(calm: boolean): Promise<void> {
    for (const host of reachable(this.#stage, this.#stage.groups.master).slice(0, 2)) {
      void this.#stage.deployed.begin(host, 'cluster-cli --quiet node settle');
      await this.#stage.pass((playedMinutes - 2) / 2);
      await this.#clients.look(calm);
    }
    await this.#stage.pass(1);
  }

  /** The timers of new nodes stand still, too: what they do every few minutes is begun by hand here. */
  async #quieten(): Promise<void> {
    const ids = [...this.#stage.deployed.nodes.keys()];
    if (ids.every((id) => this.#scheduled.has(id))) return;
    await this.#stage.setSchedule(720);
    for (const id of ids) this.#scheduled.add(id);
  }

  async #webUiIsSettled(): Promise<boolean> {
    const labels = Object.values(await this.#secrets.token.labels());
    return labels.some((each) => each.includes('AWSCURRENT') && each.some((label) => !label.startsWith('AWS')));
  }

  /** Every third operator dies, and goes on the next day. */
  async #rotateAuthority(number: number): Promise<void> {
    const dies = this.#random.chance(0.34);
    const stop = new AbortController();
    if (dies) this.#stage.clock.after(this.#random.int(2, 120) * 1000, () => stop.abort());
    const end = await this.#rotate(stop.signal, true);
    this.#told.push(`day ${number}: another authority: ${end}`);
    if (end === '0') return;
    await this.#day();
    const again = await this.#rotate(new AbortController().signal, false);
    if (again !== '0') this.#violations.push(`day ${number}: the rotation of the authority ended with ${again}`);
  }

  /** Of the first password that is announced. */
  async #askDoctor(): Promise<void> {
    this.#asked = true;
    const findings = await this.#stage.drive(askClusterDoctor(this.#stage.deployed, 'search-cluster'));
    const found = findings.find(({ check }) => check === 'password-announced');
    if (found?.verdict !== 'notice') this.#violations.push(`doctor on an announced password: ${JSON.stringify(found)}`);
  }

  async #rotate(signal: AbortSignal, again: boolean): Promise<string> {
    const io = { ...operatorIo(this.#stage, () => {}), signal };
    const options = { stack: 'search-cluster', again, dryRun: false, format: 'text' } as const;
    const work = rotateAuthority(io, options).then(String, (error: unknown) => String(error));
    return await this.#stage.drive(work, 8 * hour);
  }

  #authorityOn(id: string): string {
    return this.#stage.world.machines.get(id)?.files.get(certificateFiles.authority) ?? '';
  }

  async #judge(): Promise<void> {
    const { deployed } = this.#stage;
    if (!isWell(this.#stage)) this.#violations.push(`the cluster is not well: ${deployed.report()}`);
    const { tokens } = await deployed.search<{ tokens: object }>('GET', tokensPath);
    const names = Object.keys(tokens);
    if (names.length !== 1) this.#violations.push(`tokens are left over: ${names.join(', ')}`);
    if (!(await this.#webUiIsSettled())) this.#violations.push('the web UI does not have the current token');
    for (const secret of Object.values(this.#secrets)) await this.#judgeVersions(secret);
    const authorities = new Set(deployed.inService().map((id) => this.#authorityOn(id)));
    const [authority = ''] = authorities;
    if (authorities.size !== 1 || certificatesIn(authority).length !== 1)
      this.#violations.push(`${authorities.size} different lists of authorities are trusted`);
    const records = await deployed.records();
    if (records.length > 0) this.#violations.push(`records are left over: ${JSON.stringify(records)}`);
    const { tokens: made, passwords } = this.#values;
    const least = Math.floor(this.#options.days / (this.#options.everyDays + 3));
    if (Math.min(made.size, passwords.size) < least)
      this.#violations.push(`${made.size} tokens and ${passwords.size} passwords, not at least ${least}`);
  }

  /** Of each version that still has a label: the current one, the one before, and an announced one. */
  async #judgeVersions(secret: ShownSecret): Promise<void> {
    const labels = Object.values(await secret.labels());
    const odd = labels.flat().filter((label) => !/^(AWS(CURRENT|PREVIOUS)|USED-BY-.*)$/.test(label));
    // An announced password is no remainder; the next day takes it into use.
    const announced = secret === this.#secrets.token ? 0 : odd.filter((label) => label === 'AWSPENDING').length;
    if (odd.length > announced || labels.length > 3)
      this.#violations.push(`${secret.id} has the versions ${JSON.stringify(labels)}`);
  }
}
