import type { MachineView, ProcessContext, Program } from '@drover/cloud-machines';
import { facts as names } from '@drover/core/names/search-cluster';
import { namesIn } from '../data/data-folder.ts';
import { fetchPackage } from '../installed-package.ts';
import { searchDelays } from '../search-delays.ts';
import { installSoftware, type SoftwareAsset } from './boot-software.ts';
import { configureCommand } from './configuration/configure.ts';
import { BootFailure, roleOf, type SearchMachineHost } from './machine-host.ts';
import { fetchCommand, fetchSoftware, takeSoftware } from './pointed-software.ts';

const bootFile = '/opt/drover/boot.py';
const commandsFile = '/opt/drover/post-runcmd.json';
const home = '/opt/drover/';
/** For two minutes, as boot.py tries. */
const mostAttempts = 8;
const pauseMs = 15_000;
const fetchMs = searchDelays.fetchElasticsearch;

interface BootFacts {
  readonly software?: readonly SoftwareAsset[];
  readonly software_pointer?: string;
  readonly launch: {
    readonly autoscaling_group_name: string;
    readonly hook: string;
    readonly release?: { readonly hook: string; readonly unless: string; readonly service: string };
  };
}

/** `python3 /opt/drover/boot.py`: software, configuration, post_runcmd; and when that fails, the end of the launch. */
export function bootCommand(host: SearchMachineHost): Program {
  return async (context) => {
    const { machine } = context;
    if (context.argv[1] === '-c') return await fetchCommand(host)(context);
    if (context.argv[1] !== bootFile || !machine.files.has(bootFile)) {
      context.stderr(`python3: can't open file '${context.argv[1]}'\n`);
      return 2;
    }
    const { drover } = JSON.parse(machine.files.get(names.files[0])!) as { drover: BootFacts };
    try {
      for (const asset of drover.software ?? []) await installSoftware(host.world, machine, asset);
      if (drover.software_pointer !== undefined) {
        const pointer = await fetchSoftware(host, machine, drover.software_pointer);
        machine.files.set(`${home}software.json.next`, JSON.stringify(pointer));
        takeSoftware(machine, '/opt/drover');
      }
      defineCommands(host, context);
      const { exitCode, stderr } = await machine.runCommand(`${home}bin/configure`);
      if (exitCode !== 0) throw new BootFailure(stderr.trim());
      await runCommands(machine);
      return 0;
    } catch (error) {
      if (!(error instanceof BootFailure)) throw error;
      context.log(`boot: ${error.message}`);
      await giveUp(host, context, drover, error.message).catch((failure: Error) =>
        context.log(`boot: ${failure.message}`),
      );
      return 1;
    }
  };
}

/** The input post_runcmd: the first command that fails is the last. */
async function runCommands(machine: MachineView): Promise<void> {
  const commands = JSON.parse(machine.files.get(commandsFile) ?? '[]') as readonly string[];
  for (const [index, command] of commands.entries()) {
    const { exitCode } = await machine.runCommand(command);
    const which = `command ${index + 1} of ${commands.length} in post_runcmd`;
    if (exitCode !== 0) throw new BootFailure(`${which} failed with exit code ${exitCode}`);
  }
}

/** Programs exist once the software is there. */
function defineCommands(host: SearchMachineHost, { machine }: ProcessContext): void {
  const has = (path: string) => machine.files.has(`${home}${path}`);
  for (const path of ['bin/configure', 'bin/cluster-cli', 'cluster-cli/cluster-cli.cjs'])
    if (!has(path)) throw new BootFailure(`${home}${path} does not exist`);
  machine.defineCommand(`${home}bin/configure`, configureCommand(host));
  machine.defineCommand(`${home}bin/fetch-elasticsearch`, async ({ argv, clock, random, stderr }) => {
    await clock.sleep(random.int(fetchMs.least, fetchMs.most));
    const why = fetchPackage(machine, argv[1]!, host.unpublished?.includes(argv[1]!) !== true);
    if (why !== undefined) stderr(`${why}\n`);
    return why === undefined ? 0 : 100;
  });
  for (const name of ['cluster-cli', '/usr/local/bin/cluster-cli', `${home}bin/cluster-cli`])
    machine.defineCommand(name, host.command);
}

/** First the role's own way, which keeps a node that holds shards; without it the hook is completed by hand. */
async function giveUp(
  { world, nodes }: SearchMachineHost,
  { machine, clock }: ProcessContext,
  { launch }: BootFacts,
  reason: string,
): Promise<void> {
  const quoted = `'${reason.replaceAll("'", ' ').replaceAll('\n', ' ')}'`;
  const { exitCode } = await machine.runCommand(`cluster-cli node abandon --reason ${quoted}`);
  if (exitCode === 0 || exitCode === 3) return;
  const { release } = launch;
  const complete = async (LifecycleHookName: string, LifecycleActionResult: string) => {
    const input = { AutoScalingGroupName: launch.autoscaling_group_name, LifecycleHookName, LifecycleActionResult };
    const InstanceId = machine.instance.id;
    const call = () =>
      world.aws.call('autoscaling', 'CompleteLifecycleAction', { ...input, InstanceId }, roleOf(world, machine));
    for (let attempt = 1; ; attempt++) {
      const failure = await call().then(
        () => undefined,
        (error: Error) => error,
      );
      if (failure === undefined) return;
      if (attempt === mostAttempts) throw new BootFailure(`Auto Scaling: ${failure.message}`);
      await clock.sleep(pauseMs);
    }
  };
  await complete(launch.hook, 'ABANDON');
  if (release === undefined) return;
  const isEmpty = () => namesIn(release.unless, machine, nodes).length === 0;
  if (!isEmpty()) return;
  if (machine.serviceState(release.service) !== 'unknown') await machine.stopService(release.service);
  if (isEmpty()) await complete(release.hook, 'CONTINUE');
  else machine.startService(release.service);
}
