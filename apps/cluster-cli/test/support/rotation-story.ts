import { noBody } from '@drover/cloud-engine';
import { facts as names, superuser } from '@drover/core/names/search-cluster';
import { CrashPlan, type CrashPoint, type CrashStory } from './crash.ts';
import { hour, minute, SearchWorld, secretIds } from './search-world.ts';

const day = 24 * hour;
const everyDays = 7;
const own = { exporter: 'exporter-password', token: 'kibana-token' } as const;
const label = 'USED-BY-ui';
const tokensPath = '/_security/service/elastic/kibana/credential';

type Stages = Readonly<Record<string, readonly string[]>>;

/**
 * Kibana's token and two passwords are replaced once, by a master that settles twice a day; one of its runs dies.
 * A web UI reads its token as its tasks do when they start, and says by its label which one they have.
 */
export async function rotationStory(at: CrashPoint | undefined): Promise<CrashStory> {
  let armed = false;
  const plan = new CrashPlan(({ argv }) => armed && argv.includes('settle'), at);
  const world = await SearchWorld.start({ cron: false, masters: 1, data: 1, wrap: plan.wrap });
  const rotation = await Rotation.prepare(world);
  const before = rotation.values();
  // So far nothing is old enough.
  world.clock.skip((everyDays - 0.25) * day);
  armed = true;
  await rotation.halfDays(6);
  armed = false;
  await rotation.halfDays(2);
  await rotation.judge(before);
  return { plan, violations: rotation.violations };
}

class Rotation {
  readonly violations: string[] = [];
  readonly #world: SearchWorld;
  readonly #host: string;
  /** The token that all tasks of the web UI have. */
  #held = '';

  private constructor(world: SearchWorld) {
    this.#world = world;
    [this.#host] = world.inService('search') as [string];
  }

  static async prepare(world: SearchWorld): Promise<Rotation> {
    const rotation = new Rotation(world);
    const { files } = world.world.machines.get(rotation.#host)!;
    const [file] = names.files;
    const { elasticsearch, ...others } = JSON.parse(files.get(file)!);
    const given = {
      snapshot_policies: {},
      exporter_user: 'exporter',
      exporter_secret: own.exporter,
      kibana_token_secret: own.token,
      password_rotation_days: everyDays,
      rotate_elastic: true,
    };
    files.set(file, JSON.stringify({ ...others, elasticsearch: { ...elasticsearch, ...given } }));
    await world.aws('secretsmanager', 'CreateSecret', { Name: own.exporter, SecretString: 'of-the-exporter' });
    await world.aws('secretsmanager', 'CreateSecret', { Name: own.token });
    await rotation.#settle();
    await rotation.#redeploy();
    return rotation;
  }

  values(): readonly string[] {
    const { observe } = this.#world.world;
    return [secretIds.elastic, own.exporter, own.token].map((id) => observe.secretValue(id));
  }

  async halfDays(count: number): Promise<void> {
    for (let passed = 0; passed < count; passed++) {
      this.#world.clock.skip(day / 2 - 5 * minute);
      await this.#world.clock.advance(minute);
      await this.#check();
      await this.#settle();
      await this.#check();
      await this.#redeploy();
    }
  }

  /** Every secret is new, and nothing is left over. */
  async judge(before: readonly string[]): Promise<void> {
    const [current] = this.values().slice(-1);
    const same = this.values().filter((value) => before.includes(value)).length;
    if (same > 0) this.violations.push(`${same} of three secrets have their old value`);
    const { count } = (await this.#world.search('GET', tokensPath)) as { count: number };
    if (count !== 1) this.violations.push(`${count} tokens are left`);
    if (this.#held !== current) this.violations.push('the web UI does not have the current token');
    for (const id of [secretIds.elastic, own.exporter, own.token])
      if (Object.values(await this.#stages(id)).some((stages) => stages.includes('AWSPENDING')))
        this.violations.push(`${id} has a pending version`);
    const secrets = [...before, ...this.values()];
    if (this.#world.runs.some(({ stdout, stderr }) => secrets.some((secret) => (stdout + stderr).includes(secret))))
      this.violations.push('a secret shows');
  }

  async #settle(): Promise<void> {
    void this.#world.begin(this.#host, 'cluster-cli --quiet node settle');
    await this.#world.clock.advance(minute);
  }

  /** As the function beside the web UI does it: new tasks, then the label. */
  async #redeploy(): Promise<void> {
    const stages = await this.#stages(own.token);
    const holder = (stage: string) => Object.keys(stages).find((id) => stages[id]!.includes(stage));
    const [MoveToVersionId, from] = [holder('AWSCURRENT'), holder(label)];
    if (MoveToVersionId === undefined || MoveToVersionId === from) return;
    this.#held = this.#world.world.observe.secretValue(own.token);
    const RemoveFromVersionId = from === undefined ? {} : { RemoveFromVersionId: from };
    const input = { SecretId: own.token, VersionStage: label, MoveToVersionId, ...RemoveFromVersionId };
    await this.#world.aws('secretsmanager', 'UpdateSecretVersionStage', input);
  }

  async #stages(SecretId: string): Promise<Stages> {
    const found = await this.#world.aws('secretsmanager', 'DescribeSecret', { SecretId });
    return (found as { VersionIdsToStages: Stages }).VersionIdsToStages;
  }

  /** The web UI is let in by its token, and a reader of the secrets by one of two versions. */
  async #check(): Promise<void> {
    const at = new Date(this.#world.clock.now()).toISOString();
    if (!(await this.#letsIn(`Bearer ${this.#held}`))) this.violations.push(`${at}: the web UI is refused`);
    for (const [user, id] of [[superuser, secretIds.elastic] as const, ['exporter', own.exporter] as const])
      if (!(await this.#eitherLetsIn(user, id))) this.violations.push(`${at}: no version lets ${user} in`);
  }

  async #eitherLetsIn(user: string, SecretId: string): Promise<boolean> {
    for (const VersionStage of Object.values(await this.#stages(SecretId)).flat()) {
      if (VersionStage === 'AWSPREVIOUS') continue;
      const found = await this.#world.aws('secretsmanager', 'GetSecretValue', { SecretId, VersionStage });
      const { SecretString } = found as { SecretString: string };
      if (await this.#letsIn(`Basic ${Buffer.from(`${user}:${SecretString}`).toString('base64')}`)) return true;
    }
    return false;
  }

  async #letsIn(authorization: string): Promise<boolean> {
    const headers = { host: 'web-ui', authorization };
    const request = {
      method: 'GET',
      host: 'web-ui',
      path: '/_security/_authenticate',
      query: '',
      headers,
      body: noBody,
    };
    const { status } = await this.#world.until(this.#world.nodeOf(this.#host).handle(request));
    return status === 200;
  }
}
