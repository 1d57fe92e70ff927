import { moduleVersion } from '@drover/core/names/version';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { DroverIo } from './io.ts';
import type { LocalOptions } from './local/options.ts';
import type { Format } from './render/table.ts';

type Exit = (code: number) => void;
type OnStack = { readonly stack: string };
type Shown = OnStack & { readonly format: Format };

/** The tree of commands. Each loads its own code when it runs. */
export function buildProgram(io: DroverIo, exit: Exit): Command {
  const program = new Command('drover')
    .description('Operates runner fleets and search clusters on AWS, and runs both on this machine.')
    .version(moduleVersion)
    .configureOutput({ writeOut: io.stdout, writeErr: io.stderr })
    .showHelpAfterError('(add --help for the options)')
    .exitOverride();
  addLocal(program, io, exit);
  addFleet(program, io, exit);
  addOutput(program, io, exit);
  // Subcommands that commander made before these settings have their own.
  for (const command of everyCommand(program))
    command.exitOverride().configureOutput({ writeOut: io.stdout, writeErr: io.stderr });
  return program;
}

const everyCommand = (command: Command): Command[] =>
  command.commands.flatMap((child) => [child, ...everyCommand(child)]);

function addLocal(program: Command, io: DroverIo, exit: Exit): void {
  const port = (flags: string, what: string) => new Option(flags, what).argParser(portNumber);
  program
    .command('local')
    .description('the whole system on this machine: a fleet, a search cluster, a console to watch and break them')
    .addOption(new Option('--speed <factor>', 'simulated seconds a second').argParser(speedFactor).default(60))
    .option('--seed <text>', 'the same seed gives the same chance', 'drover')
    .addOption(new Option('--jobs-per-hour <number>', 'jobs that come by themselves').argParser(jobRate).default(30))
    .addOption(port('--port-base <port>', 'console; AWS and the platform follow').default(8600))
    .addOption(port('--console-port <port>', 'the console'))
    .addOption(port('--aws-port <port>', 'the AWS endpoint'))
    .addOption(port('--platform-port <port>', "the platform's API"))
    .addOption(port('--search-port <port>', 'Elasticsearch').default(9200))
    .option('--state <folder>', 'where the session is kept', '.drover')
    .option('--reset', 'forget the last session and begin anew', false)
    .option('--once', 'play a fixed story as fast as possible, check every promise, exit 0 or 1', false)
    .action(async (options: LocalOptions) => {
      exit(await (await import('./local/local.ts')).runLocal(io, options));
    });
}

function addFleet(program: Command, io: DroverIo, exit: Exit): void {
  const fleet = program.command('fleet').description('looks at a deployed runner fleet and mends it');
  const stack = () =>
    new Option('--stack <name>', 'stack of the fleet').env('DROVER_FLEET_STACK').default('runner-fleet');
  const format = () => new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text');
  const on = (name: string, description: string) => fleet.command(name).description(description).addOption(stack());
  const shown = (name: string, description: string) => on(name, description).addOption(format());

  shown('status', 'capacity, runners, alarms and what is left of the platform budget').action(
    async (options: Shown) => {
      exit(await (await import('./fleet/status.ts')).fleetStatus(io, options));
    },
  );
  shown('runners', 'every runner with its instance and lifecycle state').action(async (options: Shown) => {
    exit(await (await import('./fleet/runners.ts')).fleetRunners(io, options));
  });
  shown('installations', 'apps on the organisation: app_id and app_slug').action(async (options: Shown) => {
    exit(await (await import('./fleet/installations.ts')).fleetInstallations(io, options));
  });
  shown('rate-limit', "what is left of the platform's limits").action(async (options: Shown) => {
    exit(await (await import('./fleet/rate-limit.ts')).fleetRateLimit(io, options));
  });
  on('logs', "a function's log of the last minutes")
    .addArgument(new Argument('<function>', 'registration, deregistration or record_metric'))
    .addOption(new Option('--minutes <number>', 'how far back').argParser(wholeNumber).default(60))
    .option('--grep <text>', 'only lines with this text')
    .action(async (name: string, options: OnStack & { minutes: number; grep?: string }) => {
      exit(await (await import('./fleet/logs.ts')).fleetLogs(io, name, options));
    });
  shown('reconcile', 'the sweep, now: removes what two readings found left behind')
    .option('--dry-run', 'only say what would be done', false)
    .action(async (options: Shown & { dryRun: boolean }) => {
      exit(await (await import('./fleet/reconcile.ts')).fleetReconcile(io, options));
    });
  on('complete-termination', 'lets an instance in Terminating:Wait go now; a job there is lost')
    .argument('<instance>', 'instance id')
    .action(async (instance: string, options: OnStack) => {
      exit(await (await import('./fleet/complete-termination.ts')).completeTermination(io, instance, options));
    });
  shown(
    'doctor',
    'one check for every error condition, each with evidence and the fix; exit code 1 if one is found',
  ).action(async (options: Shown) => {
    exit(await (await import('./fleet/doctor/doctor.ts')).fleetDoctor(io, options));
  });
  shown('why', 'the whole history of an instance or runner')
    .argument('<instance|runner>', 'instance id, runner name or runner id')
    .action(async (subject: string, options: Shown) => {
      exit(await (await import('./fleet/why.ts')).fleetWhy(io, subject, options));
    });
}

function addOutput(program: Command, io: DroverIo, exit: Exit): void {
  program
    .command('output')
    .description('an output of a stack, by the specification’s name or the stack’s')
    .argument('<name>', 'e.g. autoscaling_group_name, cluster_url, kibana_system_password')
    .addOption(new Option('--stack <name>', 'stack').env('DROVER_STACK').default('runner-fleet'))
    .action(async (name: string, options: OnStack) => {
      exit(await (await import('./output/output.ts')).output(io, name, options));
    });
}

const numberWithin = (least: number, most: number) => (text: string) => {
  if (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new InvalidArgumentError(`allowed is a whole number from ${least} to ${most}`);
};
const portNumber = numberWithin(1, 65_533);
const speedFactor = numberWithin(1, 3_600);
const jobRate = numberWithin(0, 10_000);

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('allowed is a whole number of minutes');
  return Number(text);
}
