import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { CodeHost } from '@drover/cloud-github';
import type { BootProgram, Instance } from '@drover/cloud-machines';
import { clients, deployCloudAssembly, type GroupView, World } from '@drover/cloud-world';
import { type Clock, TerminalError, VirtualClock } from '@drover/core';
import { fallbackGroupName, imageTags, typeGroupName } from '@drover/core/names/runner-fleet';
import { imageBoot } from './boot/image-boot.ts';
import { wholeGroup } from './groups/whole-group.ts';
import { injectFunctions } from './injected-functions.ts';
import type { Transport } from './program-services.ts';
import { QuickReplay } from './quick-replay/quick-replay.ts';
import type { ReleasedRunner } from './released-runner.ts';
import { configurationMs, ownAws, runnerImage, runnerVersionOf, writeFiles } from './runner-image.ts';
import { WakeSignals } from './wake-signals.ts';

/** Name of the secret that holds the GitHub token; `deploy` creates it. */
export const platformTokenSecret = 'platform-token';

/** Requests whose responses bring a secret, and where in them it is. */
const bringsSecret = /(token(s)?|runner-registration|\/sessions(\/[\w-]+)?|generatejitconfig)$/;
const secretFields = /"(?:token|messageQueueAccessToken|encodedJITConfig)":"([^"]+)"/g;

/** A part of a secret that betrays it: some are kilobytes long, and words are what is looked for. */
const longestWord = (secret: string) => (secret.match(/\w+/g) ?? ['']).reduce((a, b) => (b.length > a.length ? b : a));

export interface DeployedFleetOptions {
  /** The world that it is deployed to, beside others. @default a world of its own */
  readonly world?: World;
  /** The assembly that `synthesiseFleet` wrote. */
  readonly assembly: string;
  readonly groupName: string;
  /** Names of its types. @default none */
  readonly types?: readonly string[];
  readonly seed?: string | number;
  readonly clock?: Clock;
  /** `bundle`: the functions run exactly as packaged. `source`: the same handlers, quicker to load. @default source */
  readonly functions?: 'bundle' | 'source';
  /** How programs reach AWS. A quick replay needs functions as `bundle`. @default sdk */
  readonly transport?: Transport;
  /** The boot program of instances. @default the simulated image, with the agent in this process */
  readonly image?: BootProgram;
  /** The programs that an instance has, by the module version in its user data. @default those of this tree */
  readonly released?: (moduleVersion: string) => ReleasedRunner | undefined;
  /** Also publishes assets that a command makes; the simulated image needs none. @default false */
  readonly assetCommands?: boolean;
  /** Address of GitHub's API. @default GitHub's */
  readonly platformApi?: string;
  /** The organisation that the runners belong to. @default example-org */
  readonly platformOrg?: string;
  /** GitHub as another fleet of the world has it. @default one of its own */
  readonly codeHost?: CodeHost;
}

/** A fleet on the embedded cloud: deployed from its template, with a code host, machines that boot and run the real agent. */
export class DeployedFleet {
  readonly world: World;
  readonly codeHost: CodeHost;
  readonly groupName: string;
  /** Groups of all types; that of the default one is the first. */
  readonly groupNames: readonly string[];
  readonly #options: DeployedFleetOptions;
  readonly #secretValues: string[] = [];

  constructor(options: DeployedFleetOptions) {
    this.#options = options;
    this.groupName = options.groupName;
    this.groupNames = [
      options.groupName,
      ...(options.types ?? []).map((type) => typeGroupName(options.groupName, type)),
    ];
    const seed = options.seed === undefined ? {} : { seed: options.seed };
    this.world =
      options.world ?? new World({ ...seed, ...(options.clock === undefined ? {} : { clock: options.clock }) });
    this.codeHost = options.codeHost ?? this.#ownCodeHost(options);
    const { transport = 'sdk' } = options;
    const groups = new Set(this.groupNames.flatMap((name) => [name, fallbackGroupName(name)]));
    const isRunner = ({ tags }: Instance) => groups.has(tags['aws:autoscaling:groupName'] ?? '');
    this.world.machines.onBoot(
      isRunner,
      options.image ?? runnerImage(this.world, this.codeHost, new WakeSignals(this.world), transport, options.released),
    );
    const makesImage = ({ tags }: Instance) => this.groupNames.includes(tags[imageTags.imageOf] ?? '');
    if (options.image === undefined)
      this.world.machines.onBoot(
        makesImage,
        imageBoot(this.world, {
          aws: (context) => ownAws(this.world, context, transport),
          prepare: writeFiles,
          configurationMs,
          runnerVersion: async (context) =>
            await runnerVersionOf(context.machine, context.clock, ownAws(this.world, context, transport).s3),
        }),
      );
    if (options.functions !== 'bundle') injectFunctions(this.world, options.groupName, transport);
    else if (transport instanceof QuickReplay) transport.injectFunctions(options.groupName);
  }

  /** A group as the fleet counts it: with its on-demand fallback. */
  group(name = this.groupName): GroupView | undefined {
    return wholeGroup(this.world.observe, name);
  }

  #ownCodeHost({ platformApi, platformOrg = 'example-org' }: DeployedFleetOptions): CodeHost {
    const api = platformApi === undefined ? {} : { apiUrl: platformApi };
    const codeHost = new CodeHost(this.world.engine, { org: platformOrg, ...api });
    codeHost.join(this.world.network);
    for (const host of [new URL(codeHost.apiUrl).hostname, ...codeHost.scaleSetService.addresses.hosts])
      this.world.network.register(host, async (request, origin) => {
        const response = await codeHost.answer(request, origin);
        if (bringsSecret.test(request.path) && response.status < 300) this.#noteSecrets(response.body);
        return response;
      });
    return codeHost;
  }

  /** Every secret value that was ever made: none of them may show anywhere. */
  get secretValues(): readonly string[] {
    return this.#secretValues;
  }

  get clock(): Clock {
    return this.world.engine.clock;
  }

  /** Tokens and just-in-time configurations that GitHub gives out are secrets too. */
  #noteSecrets(body: string | Uint8Array): void {
    const text = typeof body === 'string' ? body : Buffer.from(body).toString();
    for (const [, secret = ''] of text.matchAll(secretFields)) this.#secretValues.push(longestWord(secret));
  }

  /** The personal token that the fleet is given. */
  get platformToken(): string {
    return `ghp_${this.world.engine.random.fork('platform token').hex(36)}`;
  }

  /** GitHub accepts the token, with or without the scope `admin:org`. */
  grantPlatformToken(options: { readonly mayManageRunners?: boolean; readonly expiresAt?: number } = {}): void {
    const { mayManageRunners = true, ...expiry } = options;
    this.codeHost.credentials.addToken(this.platformToken, {
      account: 'user ID 1',
      org: this.codeHost.org,
      mayManageRunners,
      ...expiry,
    });
  }

  /** GitHub returns "Bad credentials" from now on. */
  revokePlatformToken(): void {
    this.codeHost.credentials.revokeToken(this.platformToken);
  }

  /** Stores the GitHub token and deploys the template. */
  async deploy(): Promise<void> {
    const token = this.platformToken;
    this.#secretValues.push(token);
    this.grantPlatformToken();
    const { secretsmanager } = clients(this.world);
    await secretsmanager.send(new CreateSecretCommand({ Name: platformTokenSecret, SecretString: token }));
    const { assembly, assetCommands = false } = this.#options;
    await this.drive(deployCloudAssembly(this.world, assembly, { assetCommands }), 60 * 60_000);
  }

  /** Updates the stack to another assembly; returns when CloudFormation has done it. */
  async update(assembly: string): Promise<void> {
    const { assetCommands = false } = this.#options;
    await this.drive(deployCloudAssembly(this.world, assembly, { assetCommands }), 24 * 60 * 60_000);
  }

  /** Lets time pass until `work` is done; on a real or scaled clock time passes by itself. */
  async drive<T>(work: Promise<T>, limitMs: number): Promise<T> {
    if (!(this.clock instanceof VirtualClock)) return await work;
    let settled = false;
    const noted = work.finally(() => {
      settled = true;
    });
    noted.catch(() => {});
    if (!(await this.clock.runUntil(() => settled, limitMs)))
      throw new TerminalError(`not done after ${limitMs / 60_000} simulated minutes`);
    return await noted;
  }

  /** Lets time pass until `reached` holds; fails with `what` after `limitMs`. */
  async until(what: string, reached: () => boolean, limitMs: number): Promise<void> {
    const { clock } = this;
    const start = clock.now();
    if (clock instanceof VirtualClock) {
      if (!(await clock.runUntil(reached, limitMs)))
        throw new TerminalError(`${what}: not within ${limitMs / 60_000} simulated minutes`);
      return;
    }
    while (!reached()) {
      if (clock.now() - start > limitMs)
        throw new TerminalError(`${what}: not within ${limitMs / 60_000} simulated minutes`);
      await clock.sleep(1_000);
    }
  }
}
