import { type CompletedCommands, completedShells, completionScript } from '@drover/core/completion';
import { logSources, scalingModes } from '@drover/core/names/runner-fleet';
import { moduleVersion } from '@drover/core/names/version';
import type { LocalOptions, SynthOptions, WhatIfOptions } from '@drover/local';
import type { ConsoleOptions } from '@drover/observation/account/console';
import type { UpgradeOptions } from '@drover/operator/cluster/upgrade';
import type { CostOptions } from '@drover/operator/fleet/cost';
import type { LogOptions, Since } from '@drover/operator/fleet/function-log';
import type { DroverIo } from '@drover/operator/io';
import type { Format } from '@drover/operator/render/table';
import { again } from '@drover/operator/render/watch';
import { Argument, Command, Option, type OutputConfiguration } from 'commander';
import {
  fixedCount,
  jobRate,
  pastTime,
  portNumber,
  reclaimRate,
  replayHours,
  speedFactor,
  volumeSize,
  waitSeconds,
  watchSeconds,
  wholeNumber,
} from './arguments.ts';
import { findLocalPart, localPart, whatIfIsMissing } from './local-part.ts';

type Exit = (code: number) => void;
type OnStack = { readonly stack: string };
type Shown = OnStack & { readonly format: Format };
type Watched = Shown & { readonly watch?: number };

/** The tree of commands. Each loads its own code when it runs. */
export function buildProgram(io: DroverIo, exit: Exit): Command {
  const program = new Command('drover')
    .description('Operates runner fleets and search clusters on AWS, and runs both on this machine.')
    .version(moduleVersion)
    .configureOutput(outputTo(io))
    .exitOverride();
  addLocal(program, io, exit);
  addConsole(program, io, exit);
  addFleet(program, io, exit);
  addCluster(program, io, exit);
  addOutput(program, io, exit);
  addSynth(program, io, exit);
  addWhatIf(program, io, exit);
  addCompletion(program, io);
  // Subcommands that commander made before these settings have their own.
  for (const command of everyCommand(program)) command.exitOverride().configureOutput(outputTo(io));
  return program;
}

/** An error is one line, also where commander adds a suggestion on a second line. */
const outputTo = (io: DroverIo): OutputConfiguration => ({
  writeOut: io.stdout,
  writeErr: io.stderr,
  outputError: (text, write) =>
    write(
      `drover: ${text
        .replace(/^error: /, '')
        .trim()
        .replaceAll('\n', ' ')} (add --help for the options)\n`,
    ),
});

const everyCommand = (command: Command): Command[] =>
  command.commands.flatMap((child) => [child, ...everyCommand(child)]);

function addLocal(program: Command, io: DroverIo, exit: Exit): void {
  const port = (flags: string, what: string) => new Option(flags, what).argParser(portNumber);
  program
    .command('local')
    .description('the whole system on this machine: a fleet, a search cluster, a console to watch and break them')
    .addOption(new Option('--speed <factor>', 'simulated seconds per second').argParser(speedFactor).default(60))
    .option('--seed <text>', 'seed of the random numbers: the same seed gives the same run', 'drover')
    .addOption(
      new Option('--jobs-per-hour <number>', 'jobs that are queued automatically').argParser(jobRate).default(30),
    )
    .addOption(port('--port-base <port>', 'port of the console; AWS and the platform use the next two').default(8600))
    .addOption(port('--console-port <port>', 'the console'))
    .addOption(port('--aws-port <port>', 'the AWS endpoint'))
    .addOption(port('--platform-port <port>', "the platform's API"))
    .addOption(port('--search-port <port>', 'Elasticsearch').default(9200))
    .addOption(
      new Option(
        '--mode <mode>',
        'on what the fleet scales: idle runners, or jobs, each on a fresh instance (default: idle)',
      ).choices(scalingModes),
    )
    .option('--spot', 'spot instances above one on demand, and no warm pool', false)
    .addOption(
      new Option('--fleet <file>', "deploy this fleet.yaml instead of the example's fleet").conflicts(['spot', 'mode']),
    )
    .option('--cluster <file>', "deploy this cluster.yaml instead of the example's cluster")
    .addOption(
      new Option('--assembly <folder>', 'deploy what cdk synth wrote, e.g. cdk.out, instead of the example').conflicts([
        'spot',
        'mode',
        'fleet',
        'cluster',
      ]),
    )
    .option('--state <folder>', 'where the session is kept', '.drover')
    .option('--reset', 'delete the last session and start a new one', false)
    .option('--once', 'run a fixed scenario as fast as possible, check every invariant, exit 0 or 1', false)
    .action(async (options: LocalOptions) => {
      exit(await (await localPart('drover local')).runLocal(io, options));
    });
}

function addConsole(program: Command, io: DroverIo, exit: Exit): void {
  program
    .command('console')
    .description('the page of drover local for stacks of your account: it reads, and changes nothing')
    .addOption(
      new Option(
        '--stack <name...>',
        'stacks of a runner fleet, of a search cluster, or of both',
      ).makeOptionMandatory(),
    )
    .addOption(
      new Option('--url <address>', 'address of Elasticsearch, if it is not the cluster_url of the stack').env(
        'DROVER_CLUSTER_URL',
      ),
    )
    .addOption(new Option('--port <port>', 'where the page is served, on loopback').argParser(portNumber).default(8610))
    .option('--print-policy', 'print the IAM policy that a role needs for this, and end', false)
    .addHelpText(
      'after',
      `
It needs credentials of AWS as any AWS tool does, and reads the two secrets with which the platform and Elasticsearch are asked. At most two calls a second go to AWS; the page says how old each part of it is. What only drover local can know (faults, promises, the queue of GitHub) is marked.

  drover console --stack runner-fleet search-cluster
  drover console --stack runner-fleet --print-policy > console-policy.json
  aws iam put-role-policy --role-name watcher --policy-name drover-console --policy-document file://console-policy.json`,
    )
    .action(async (options: ConsoleOptions) => {
      const { noWhatIf, runConsole } = await import('@drover/observation/account/console');
      const openWhatIf = await (await findLocalPart())?.whatIfDesk();
      exit(await runConsole(io, options, openWhatIf ?? (() => noWhatIf(whatIfIsMissing))));
    });
}

function addFleet(program: Command, io: DroverIo, exit: Exit): void {
  const fleet = program.command('fleet').description('inspects and repairs a deployed runner fleet');
  const stack = () =>
    new Option('--stack <name>', 'stack of the fleet').env('DROVER_FLEET_STACK').default('runner-fleet');
  const format = () => new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text');
  const on = (name: string, description: string) => fleet.command(name).description(description).addOption(stack());
  const shown = (name: string, description: string) => on(name, description).addOption(format());
  const watched = (name: string, description: string) => shown(name, description).addOption(watchOption());

  const since = (what: string) => new Option('--since <time>', what).argParser(pastTime);

  watched(
    'status',
    'capacity, runners, jobs, alarms and remaining requests of the platform; exit code 3 if the platform could not be read',
  ).action(async (options: Watched) => {
    const { fleetStatus } = await import('@drover/operator/fleet/status');
    exit(await again(io, options, (each) => fleetStatus(each, options)));
  });
  watched('runners', 'every runner with its instance and lifecycle state').action(async (options: Watched) => {
    const { fleetRunners } = await import('@drover/operator/fleet/members');
    exit(await again(io, options, (each) => fleetRunners(each, options)));
  });
  shown('installations', 'apps on the organisation: app_id and app_slug').action(async (options: Shown) => {
    exit(await (await import('@drover/operator/fleet/platform')).fleetInstallations(io, options));
  });
  shown('rate-limit', "remaining requests of the platform's rate limits").action(async (options: Shown) => {
    exit(await (await import('@drover/operator/fleet/platform')).fleetRateLimit(io, options));
  });
  shown('logs', 'what a function or an instance logged, oldest first; also of an instance that is gone')
    .addArgument(
      new Argument(
        '<function|instance>',
        'registration, deregistration, record_metric, runner_version, demand (jobs mode), or an instance id',
      ),
    )
    .addOption(new Option('--minutes <number>', 'how far back').argParser(wholeNumber).default(60))
    .addOption(since('instead of --minutes: 90m, 6h, 7d, or a time such as 2026-11-15T08:00Z'))
    .addOption(new Option('--source <name>', 'of an instance: only this log').choices(logSources))
    .option('--grep <text>', 'only lines with this text')
    .option('--follow', 'go on with new lines as they come, until Ctrl-C', false)
    .option('--all', 'of a function: also what Lambda writes about each run (START, END, REPORT)', false)
    .addHelpText(
      'after',
      `
An instance sends cloud-init, puppet, agent, runner (the service actions-runner), hook (job hooks) and jobs as they are written; a boot that failed sends boot. With --format json each line is an object of its own.

  drover fleet logs registration --minutes 30
  drover fleet logs i-0123456789abcdef0 --since 6h
  drover fleet logs i-0123456789abcdef0 --source boot --since 7d`,
    )
    .action(async (name: string, options: LogOptions) => {
      exit(await (await import('@drover/operator/fleet/function-log')).fleetLogs(io, name, options));
    });
  shown('reconcile', 'runs the sweep now: removes leftovers that two readings found')
    .option('--dry-run', 'only print what would be done', false)
    .action(async (options: Shown & { dryRun: boolean }) => {
      exit(await (await import('@drover/operator/fleet/repair')).fleetReconcile(io, options));
    });
  on('complete-termination', 'completes the termination of an instance in Terminating:Wait now; a job there is lost')
    .argument('<instance>', 'instance id')
    .option('--yes', 'do not ask', false)
    .action(async (instance: string, options: OnStack & { yes: boolean }) => {
      exit(await (await import('@drover/operator/fleet/repair')).completeTermination(io, instance, options));
    });
  watched('doctor', doctorText).action(async (options: Watched) => {
    const { fleetDoctor } = await import('@drover/operator/fleet/doctor/doctor');
    exit(await again(io, options, (each) => fleetDoctor(each, options)));
  });
  shown('why', 'the life of an instance or runner in sentences: what happened to it, why, and to its jobs')
    .argument('<instance|runner>', 'instance id, runner name or runner id')
    .option('--lines', 'each line as it was logged instead', false)
    .addHelpText(
      'after',
      `
From the activities of the group, the logs of the functions, and what the instance sent (agent, runner, jobs; boot if it failed). A job that was lost is a warning with its name and the reason.

  drover fleet why i-0123456789abcdef0
  drover fleet why i-0123456789abcdef0 --format json | jq 'map(select(.source == "agent"))'`,
    )
    .action(async (subject: string, options: Shown & { lines: boolean }) => {
      exit(await (await import('@drover/operator/fleet/why/why')).fleetWhy(io, subject, options));
    });
  const asJson = () => new Option('--json', 'the same as --format json').implies({ format: 'json' });
  shown('jobs', 'the jobs that the fleet has run, and those that run now or (jobs mode) wait')
    .addOption(since('how far back: 90m, 6h, 7d, or a time').default(pastTime('1d'), '1d'))
    .option('--repo <owner/name>', 'only jobs of this repository')
    .addOption(asJson())
    .addHelpText(
      'after',
      `
Each runner's agent writes an event for each job into the log group of the fleet (output instance_log_group): they reach back as far as log_retention_days.

  drover fleet jobs --since 7d --repo example-org/shop
  drover fleet jobs --json | jq 'map(select(.result == "Failed"))'`,
    )
    .action(async (options: Shown & { since: Since; repo?: string }) => {
      exit(await (await import('@drover/operator/fleet/jobs')).fleetJobs(io, options));
    });
  shown('cost', "what the fleet's instances have cost, by the group's activities and a price table")
    .addOption(since('from when: 6h, 7d, or a time; at most six weeks').default(pastTime('7d'), '7d'))
    .option('--prices <file>', 'your own price table (JSON), as for drover what-if')
    .addOption(new Option('--volume-gib <number>', 'size of a root volume').argParser(volumeSize).default(30))
    .option('--instance-type <type>', 'what instances that are gone were, if the group has several types')
    .addOption(asJson())
    .addHelpText(
      'after',
      `
An estimate: instance hours times list prices. Network, functions, metrics and logs are not in it, and activities do not say which instances were spot.

  drover fleet cost --since 30d
  drover fleet cost --since 2026-11-01 --prices prices.json --json`,
    )
    .action(async (options: CostOptions) => {
      exit(await (await import('@drover/operator/fleet/cost')).fleetCost(io, options));
    });
  on('destroy', 'takes a fleet down: drains its instances, removes its runners, deletes its stack')
    .option('--yes', 'do it; without this, only print what would happen', false)
    .addHelpText('after', '\nIt waits for running jobs, and can be run again after an interruption.')
    .action(async (options: OnStack & { yes: boolean }) => {
      exit(await (await import('@drover/operator/fleet/destroy')).fleetDestroy(io, options));
    });
}

/** Of both doctors. */
const doctorText =
  'one check for every error condition, problems first, each with evidence and the fix; exit code 1 if there is a problem, 3 if there is none but a check could not be made';

type OnCluster = OnStack & { readonly url?: string };

function addCluster(program: Command, io: DroverIo, exit: Exit): void {
  const cluster = program.command('cluster').description('inspects and repairs a deployed search cluster');
  const on = (name: string, description: string) =>
    cluster
      .command(name)
      .description(description)
      .addOption(
        new Option('--stack <name>', 'stack of the cluster').env('DROVER_CLUSTER_STACK').default('search-cluster'),
      )
      .addOption(
        new Option('--url <address>', 'address of Elasticsearch, if it is not the cluster_url of the stack').env(
          'DROVER_CLUSTER_URL',
        ),
      );
  on('doctor', doctorText)
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addOption(watchOption())
    .action(async (options: OnCluster & Watched) => {
      const { clusterDoctor } = await import('@drover/operator/cluster/doctor/doctor');
      exit(await again(io, options, (each) => clusterDoctor(each, options)));
    });
  on('destroy', 'deletes the cluster: a last snapshot, its instances without draining them, its stack')
    .option('--yes', 'do it; without this, only print what would happen', false)
    .option('--skip-snapshot', 'without a last snapshot', false)
    .action(async (options: OnCluster & { yes: boolean; skipSnapshot: boolean }) => {
      exit(await (await import('@drover/operator/cluster/destroy')).destroyCluster(io, options));
    });
  on(
    'upgrade',
    'upgrades every node in place, one after the other; exit code 10 if a check blocks it, 11 if it has to go on',
  )
    .requiredOption('--to <version>', 'version of Elasticsearch, e.g. 9.5.3')
    .option('--dry-run', 'only print the order and every check', false)
    .option('--resume', 'go on with an upgrade that was started, from any machine', false)
    .option('--skip <check>', 'do without a check, by its name; may be given more than once', repeated, [] as string[])
    .option('--ui-stack <name>', 'stack of the web UI, if it is another one: says what is left to do there')
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .action(async (options: OnCluster & UpgradeOptions) => {
      exit(await (await import('@drover/operator/cluster/upgrade')).upgrade(io, options));
    });
  on('release', 'terminates a retained node once it holds no shards')
    .argument('<instance>', 'instance id')
    .action(async (instance: string, options: OnCluster) => {
      exit(await (await import('@drover/operator/cluster/release')).releaseInstance(io, instance, options));
    });
}

/** The interval of repeating until Ctrl-C. */
const watchOption = () =>
  new Option('--watch [seconds]', 'refresh every N seconds until Ctrl-C').argParser(watchSeconds).preset(5);

const repeated = (name: string, before: readonly string[]) => [...before, name];

function addOutput(program: Command, io: DroverIo, exit: Exit): void {
  program
    .command('output')
    .description('an output of a stack, by its documented name or its name in the stack')
    .argument('<name>', 'e.g. autoscaling_group_name, cluster_url, kibana_system_password')
    .addOption(new Option('--stack <name>', 'stack').env('DROVER_STACK').default('runner-fleet'))
    .action(async (name: string, options: OnStack) => {
      exit(await (await import('@drover/operator/output/output')).output(io, name, options));
    });
}

function addSynth(program: Command, io: DroverIo, exit: Exit): void {
  program
    .command('synth')
    .description('writes the CloudFormation template of a configuration file, with its assets')
    .argument('<file>', 'YAML or JSON with the inputs of a runner fleet, a search cluster or its web UI')
    .option('--out <folder>', 'where the template and the folder assets/ are written', 'cloudformation')
    .option('--stack-name <name>', 'name of the template (default: runner-fleet, search-cluster or search-ui)')
    .action(async (file: string, options: SynthOptions) => {
      exit(await (await localPart('drover synth')).synth(io, file, options));
    });
}

function addCompletion(program: Command, io: DroverIo): void {
  program
    .command('completion')
    .description('prints the completion script of a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(completedShells))
    .addHelpText('after', '\n  . <(drover completion bash)\n  drover completion fish | source')
    .action((shell: (typeof completedShells)[number]) => {
      io.stdout(completionScript(shell, 'drover', wordsOf(program)));
    });
}

/** The tree of commands as a completion script needs it. */
function wordsOf(program: Command): CompletedCommands {
  const groups = program.commands.filter(({ commands }) => commands.length > 0);
  const leaf = (command: Command, ...path: string[]) => ({
    path: [...path, command.name()],
    summary: command.description(),
    args: command.registeredArguments.map(({ argChoices }) => ({ choices: argChoices })),
    options: command.options.map(({ long, short, flags, argChoices, description }) => ({
      name: long!.slice(2),
      short: short?.slice(1),
      value: /[<[]/.test(flags) ? 'value' : undefined,
      choices: argChoices,
      summary: description,
    })),
  });
  return {
    globalOptions: [],
    commands: program.commands.flatMap((command) =>
      command.commands.length === 0 ? [leaf(command)] : command.commands.map((child) => leaf(child, command.name())),
    ),
    groups: Object.fromEntries(groups.map((group) => [group.name(), group.description()])),
  };
}

function addWhatIf(program: Command, io: DroverIo, exit: Exit): void {
  program
    .command('what-if')
    .description('replays a job trace against fleet configurations: waits, hours and cost before you deploy')
    .argument('[configurations...]', 'YAML files with the inputs of a runner fleet')
    .option(
      '--jobs <trace>',
      "CSV of queued_at,duration_seconds,labels, or jobs as GitHub's REST API lists them (JSON)",
    )
    .option('--from-label <label>', 'only the jobs that ask for this label, for the runners of the fleet')
    .addOption(new Option('--hours <number>', 'only the first hours of the trace').argParser(replayHours))
    .option('--one-at-a-time', 'also each configuration with a policy that adds one instance an alarm', false)
    .option('--modes', 'also each configuration in idle mode, in jobs mode, and in jobs mode with a warm pool', false)
    .addOption(
      new Option('--fixed <number>', 'also a fixed fleet of N runners, otherwise as the first configuration').argParser(
        fixedCount,
      ),
    )
    .option(
      '--sweep <input=values>',
      'every value of an input, e.g. asg_max_size=8,16; may be given more than once',
      repeated,
      [],
    )
    .addOption(
      new Option('--max-wait <seconds>', 'says which is the cheapest with a p95 wait of at most this').argParser(
        waitSeconds,
      ),
    )
    .option('--prices <file>', 'your own price table (JSON)')
    .addOption(
      new Option('--spot-reclaims-per-day <number>', 'how often a running spot instance is interrupted')
        .argParser(reclaimRate)
        .default(0.05),
    )
    .option('--svg <file>', 'writes a picture of the comparison')
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .option('--seed <text>', 'seed of the random numbers: the same seed gives the same run', 'drover')
    .addOption(new Option('--generate <kind>', 'writes a trace instead').choices(['week', 'burst']))
    .option('--out <file>', 'where the generated trace is written')
    .action(async (configurations: string[], options: WhatIfOptions) => {
      exit(await (await localPart('drover what-if')).whatIf(io, configurations, options));
    });
}
