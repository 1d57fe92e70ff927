import type { ProcessContext, Program } from '@drover/cloud-machines';
import { facts as names } from '@drover/core/names/search-cluster';
import { installSoftware, type SoftwareAsset } from './boot-software.ts';
import { configureCommand } from './configure.ts';
import { BootFailure, roleOf, type SearchMachineHost } from './machine-host.ts';

const bootFile = '/opt/drover/boot.py';
const home = '/opt/drover/';

interface BootFacts {
  readonly software: readonly SoftwareAsset[];
  readonly launch: { readonly autoscaling_group_name: string; readonly hook: string };
}

/** `python3 /opt/drover/boot.py`: software, configuration; and when that fails, the end of the launch. */
export function bootCommand(host: SearchMachineHost): Program {
  return async (context) => {
    const { machine } = context;
    if (context.argv[1] !== bootFile || !machine.files.has(bootFile)) {
      context.stderr(`python3: can't open file '${context.argv[1]}'\n`);
      return 2;
    }
    const { drover } = JSON.parse(machine.files.get(names.files[0])!) as { drover: BootFacts };
    try {
      for (const asset of drover.software) await installSoftware(host.world, machine, asset);
      defineCommands(host, context);
      const { exitCode, stderr } = await machine.runCommand(`${home}bin/configure`);
      if (exitCode !== 0) throw new BootFailure(stderr.trim());
      return 0;
    } catch (error) {
      if (!(error instanceof BootFailure)) throw error;
      context.log(`boot: ${error.message}`);
      await giveUp(host, context, drover, error.message);
      return 1;
    }
  };
}

/** Programs exist once the software is there. */
function defineCommands(host: SearchMachineHost, { machine }: ProcessContext): void {
  const has = (path: string) => machine.files.has(`${home}${path}`);
  for (const path of ['bin/configure', 'bin/cluster-cli', 'cluster-cli/cluster-cli.cjs'])
    if (!has(path)) throw new BootFailure(`${home}${path} does not exist`);
  machine.defineCommand(`${home}bin/configure`, configureCommand(host));
  for (const name of ['cluster-cli', '/usr/local/bin/cluster-cli', `${home}bin/cluster-cli`])
    machine.defineCommand(name, host.command);
}

/** First the role's own way, which keeps a node that holds shards; without it the hook is completed by hand. */
async function giveUp(
  { world }: SearchMachineHost,
  { machine }: ProcessContext,
  { launch }: BootFacts,
  reason: string,
): Promise<void> {
  const quoted = `'${reason.replaceAll("'", ' ').replaceAll('\n', ' ')}'`;
  const { exitCode } = await machine.runCommand(`cluster-cli node abandon --reason ${quoted}`);
  if (exitCode === 0 || exitCode === 3) return;
  const input = {
    AutoScalingGroupName: launch.autoscaling_group_name,
    LifecycleHookName: launch.hook,
    InstanceId: machine.instance.id,
    LifecycleActionResult: 'ABANDON',
  };
  await world.aws.call('autoscaling', 'CompleteLifecycleAction', input, roleOf(world, machine));
}
