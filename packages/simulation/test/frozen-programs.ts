/** Programs of an older release as they were, on what this one's machines offer to programs. */
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { ClusterAws } from '@drover/adapters/aws';
import { jsonLogger, type Secret } from '@drover/core';
import { runnerService } from '@drover/core/names/runner-fleet';
import type { Kernel } from '@drover/runner-agent';
import type { ProgramAws, ReleasedRunner } from '@drover/stage/fleet';
import type { ClusterCli } from '../src/scenarios/release/release-upgrade.ts';

/** A command of the SDK, which is nothing but its name and its input here. */
interface Command {
  readonly operation: string;
  readonly input: never;
}

/** Stands for every package of the SDK: a class for each name that is asked for. */
const sdk = new Proxy(
  {},
  {
    get: (_, name) =>
      class {
        readonly operation = String(name).replace(/Command$/, '');
        readonly input: unknown;
        constructor(input: unknown) {
          this.input = input;
        }
      },
  },
);

const own = createRequire(import.meta.url);

/** The exports of a program that is kept as one CommonJS module without the SDK. */
function exportsOf<T>(code: string): T {
  const module = { exports: {} as T };
  const load = (name: string): unknown => (name.startsWith('@aws-sdk/') ? sdk : own(name));
  compileFunction(code, ['module', 'exports', 'require'])(module, module.exports, load);
  return module.exports;
}

/** `cluster-cli` of release 0.1.0. */
export function frozenClusterCli(code: string): ClusterCli {
  const program = exportsOf<{ main: (argv: readonly string[], io: unknown) => Promise<number> }>(code);
  return (argv, io) => program.main(argv, { ...io, aws: clients(io.aws!) });
}

interface FrozenConfig {
  readonly runnerDirectory: string;
  readonly runnerUser: string;
}

interface Registration {
  readonly token: Secret;
  readonly name: string;
  readonly labels: readonly string[];
}

/** The exports of `runner-agent` of release 0.1.0 that are used here. */
interface FrozenAgent {
  runAgent(config: FrozenConfig, surroundings: object): Promise<void>;
  readConfig(text: string): FrozenConfig;
  parseCommandLine(argv: readonly string[]): { readonly kind: string };
  addToOrder(standing: unknown, said: object, now: number): object;
  parseOrder(text: string | undefined): unknown;
  configArguments(config: FrozenConfig, registration: Registration, architecture: string): readonly string[];
  silenceRules(user: string): string;
  readonly drainOrderFile: string;
}

/** `runner-agent` of release 0.1.0 with the units of its Puppet code; the system calls of its host are the simulated machine's. */
export function frozenRunner(code: string, units: ReleasedRunner['units']): ReleasedRunner {
  const agent = exportsOf<FrozenAgent>(code);
  return {
    units,
    async run({ clock, log, signal }, offered) {
      const config = agent.readConfig(offered.config);
      await agent.runAgent(config, {
        ...offered,
        clock,
        signal,
        log: jsonLogger({ clock, write: (line) => log(line) }),
        host: frozenHost(agent, config, offered.kernel),
        clients: () => fleetClients(offered.aws),
      });
    },
    order(argv, standing, now) {
      const command = agent.parseCommandLine(argv);
      return command.kind === 'drain'
        ? JSON.stringify(agent.addToOrder(agent.parseOrder(standing), command, now))
        : undefined;
    },
  };
}

const silencedFile = '/run/runner-agent/silenced';

/** As linux-host.ts of 0.1.0: what it ran with execFile, read from /proc or wrote to a file goes to a kernel of today. */
function frozenHost(agent: FrozenAgent, config: FrozenConfig, kernel: Kernel) {
  // It remembered what it had done, and did not ask systemd.
  let serviceWasActive = false;
  return {
    workers: () => kernel.processesOf('Runner.Worker').length,
    isConfigured: () => kernel.readFile(`${config.runnerDirectory}/.runner`) !== undefined,
    async configureRunner(registration: Registration) {
      const { exitCode, stdout, stderr } = await kernel.run({
        file: `${config.runnerDirectory}/config.sh`,
        args: agent.configArguments(config, registration, 'x64'),
        cwd: config.runnerDirectory,
        user: config.runnerUser,
        environment: { ACTIONS_RUNNER_INPUT_TOKEN: registration.token },
        timeoutMs: 120_000,
      });
      return exitCode === 0 ? { kind: 'configured' } : { kind: 'platform-failed', message: `${stdout}\n${stderr}` };
    },
    serviceActive: () => serviceWasActive,
    async startService() {
      await kernel.startUnit(runnerService);
      serviceWasActive = true;
    },
    async stopService() {
      await kernel.stopUnit(runnerService);
      serviceWasActive = false;
    },
    async silence(on: boolean) {
      if (on) kernel.writeFile(silencedFile, '');
      const rules = agent.silenceRules(config.runnerUser);
      await kernel.loadFirewall(on ? rules : rules.split('\n').slice(0, 2).concat('').join('\n'));
      if (!on) kernel.remove(silencedFile);
    },
    silenced: () => kernel.readFile(silencedFile) !== undefined,
    drainOrder: () => agent.parseOrder(kernel.readFile(agent.drainOrderFile)),
    waitForChange: (mostMs: number) => kernel.pause(mostMs, () => false),
  };
}

/** Its clients of the SDK, of which `send` is used, and one request to EC2 that it signed itself: the tag with its report. */
function fleetClients(aws: ProgramAws) {
  const client = (service: 'autoscaling' | 'monitoring' | 'secretsmanager' | 'ssm') => ({
    send: ({ operation, input }: Command) =>
      (aws[service] as (operation: string, input: never) => Promise<unknown>)(operation, input),
  });
  const config = {
    region: async () => 'eu-west-1',
    credentials: async () => ({}),
    sign: () => ({}),
    requestHandler: {
      async handle({ body }: { readonly body: string }) {
        const said = new URLSearchParams(body);
        const Tags = [{ Key: said.get('Tag.1.Key')!, Value: said.get('Tag.1.Value')! }];
        await aws.ec2('CreateTags', { Resources: [said.get('ResourceId.1')!], Tags });
        return { response: { statusCode: 200, headers: {}, body: '' } };
      },
    },
  };
  return {
    autoscaling: { ...client('autoscaling'), config },
    cloudwatch: client('monitoring'),
    secrets: client('secretsmanager'),
    ssm: client('ssm'),
  };
}

/** Its port of AWS: clients of the SDK of which only `send` is used, and two calls to S3. */
function clients(aws: ClusterAws) {
  const client = (service: 'autoscaling' | 'ec2' | 'monitoring' | 'secretsmanager') => async () => ({
    send: ({ operation, input }: Command) =>
      (aws[service] as (operation: string, input: never) => Promise<unknown>)(operation, input),
  });
  const unless = (name: string) => (error: Error) => {
    if (error.name !== name) throw error;
    return undefined;
  };
  return {
    autoScaling: client('autoscaling'),
    cloudWatch: client('monitoring'),
    ec2: client('ec2'),
    secrets: client('secretsmanager'),
    objects: async () => ({
      get: async (Bucket: string, Key: string) =>
        (await aws.s3('GetObject', { Bucket, Key }).catch(unless('NoSuchKey')))?.Body,
      create: async (Bucket: string, Key: string, Body: string) =>
        (await aws.s3('PutObject', { Bucket, Key, Body, IfNoneMatch: '*' }).catch(unless('PreconditionFailed'))) !==
        undefined,
    }),
  };
}
