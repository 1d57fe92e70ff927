import type { CommandInput, CommandName } from '@drover/command-tree';
import type { DroverIo } from '@drover/operator/io';
import { again } from '@drover/operator/render/watch';
import { findLocalPart, localPart, whatIfIsMissing } from './local-part.ts';
import { tree } from './tree/tree.ts';

type Name = CommandName<typeof tree>;
type Run<Command extends Name> = (io: DroverIo, input: CommandInput<typeof tree, Command>) => Promise<number>;

/** The code of each command, loaded when it runs. */
const commands: { readonly [Command in Name]: Run<Command> } = {
  local: async (io, { options }) => await (await localPart('drover local')).runLocal(io, options),
  synth: async (io, { args, options }) => await (await localPart('drover synth')).synth(io, args.file, options),
  'what-if': async (io, { args, options }) =>
    await (await localPart('drover what-if')).whatIf(io, args.configurations, options),
  console: async (io, { options }) => {
    const { noWhatIf, runConsole } = await import('@drover/observation/account/console');
    const openWhatIf = await (await findLocalPart())?.whatIfDesk();
    return await runConsole(io, options, openWhatIf ?? (() => noWhatIf(whatIfIsMissing)));
  },
  'fleet status': async (io, { options }) => {
    const { fleetStatus } = await import('@drover/operator/fleet/status');
    return await again(io, options, (each) => fleetStatus(each, options));
  },
  'fleet runners': async (io, { options }) => {
    const { fleetRunners } = await import('@drover/operator/fleet/members');
    return await again(io, options, (each) => fleetRunners(each, options));
  },
  'fleet installations': async (io, { options }) =>
    await (await import('@drover/operator/fleet/platform')).fleetInstallations(io, options),
  'fleet rate-limit': async (io, { options }) =>
    await (await import('@drover/operator/fleet/platform')).fleetRateLimit(io, options),
  'fleet logs': async (io, { args, options }) =>
    await (await import('@drover/operator/fleet/function-log')).fleetLogs(io, args['function|instance'], options),
  'fleet reconcile': async (io, { options }) =>
    await (await import('@drover/operator/fleet/repair')).fleetReconcile(io, options),
  'fleet complete-termination': async (io, { args, options }) =>
    await (await import('@drover/operator/fleet/repair')).completeTermination(io, args.instance, options),
  'fleet reset-scale-set': async (io, { options }) =>
    await (await import('@drover/operator/fleet/reset-scale-set')).resetScaleSet(io, options),
  'fleet doctor': async (io, { options }) => {
    const { fleetDoctor } = await import('@drover/operator/fleet/doctor/doctor');
    return await again(io, options, (each) => fleetDoctor(each, options));
  },
  'fleet why': async (io, { args, options }) =>
    await (await import('@drover/operator/fleet/why/why')).fleetWhy(io, args['instance|runner'], options),
  'fleet jobs': async (io, { options }) =>
    await (await import('@drover/operator/fleet/jobs')).fleetJobs(io, withJson(options)),
  'fleet cost': async (io, { options }) =>
    await (await import('@drover/operator/fleet/cost')).fleetCost(io, withJson(options)),
  'fleet remove-type': async (io, { args, options }) =>
    await (await import('@drover/operator/fleet/destroy')).removeType(io, args.type, options),
  'fleet destroy': async (io, { options }) =>
    await (await import('@drover/operator/fleet/destroy')).fleetDestroy(io, options),
  'image bake': async (io, { options }) => await (await import('@drover/operator/image/image')).imageBake(io, options),
  'image list': async (io, { options }) => await (await import('@drover/operator/image/image')).imageList(io, options),
  'image use': async (io, { args, options }) =>
    await (await import('@drover/operator/image/image')).imageUse(io, args.image, options),
  'cluster status': async (io, { options }) => {
    const { clusterStatus } = await import('@drover/operator/cluster/status');
    return await again(io, options, (each) => clusterStatus(each, options));
  },
  'cluster doctor': async (io, { options }) => {
    const { clusterDoctor } = await import('@drover/operator/cluster/doctor/doctor');
    return await again(io, options, (each) => clusterDoctor(each, options));
  },
  'cluster cost': async (io, { options }) =>
    await (await import('@drover/operator/cluster/cost')).clusterCost(io, options),
  'cluster destroy': async (io, { options }) =>
    await (await import('@drover/operator/cluster/destroy')).destroyCluster(io, options),
  'cluster grow': async (io, { options }) => await (await import('@drover/operator/cluster/grow')).grow(io, options),
  'cluster rotate-authority': async (io, { options }) =>
    await (await import('@drover/operator/cluster/rotate-authority')).rotateAuthority(io, options),
  'cluster roll': async (io, { options }) => await (await import('@drover/operator/cluster/roll')).roll(io, options),
  'cluster upgrade': async (io, { options }) =>
    await (await import('@drover/operator/cluster/upgrade')).upgrade(io, options),
  'cluster release': async (io, { args, options }) =>
    await (await import('@drover/operator/cluster/release')).releaseInstance(io, args.instance, options),
  output: async (io, { args, options }) =>
    await (await import('@drover/operator/output/output')).output(io, args.name, options),
  completion: async (io, { args }) => {
    const { completionScript } = await import('@drover/command-tree/completion');
    io.stdout(completionScript(args.shell, tree));
    return 0;
  },
};

const withJson = <Options extends { readonly json: boolean; readonly format: 'text' | 'json' }>(options: Options) =>
  options.json ? { ...options, format: 'json' as const } : options;

/** Finds a command. The parser has read its input by the same name, so the two belong together. */
export const commandOf = (name: Name): Run<Name> => commands[name] as Run<Name>;
