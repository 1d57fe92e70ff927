import type { World } from '@drover/cloud-world';
import type { Clock } from '@drover/core';
import { operatorIo } from '@drover/local/truth/real-doctor';
import { releaseInstance } from '@drover/operator/cluster/release';
import { completeTermination } from '@drover/operator/fleet/repair';
import { resetScaleSet } from '@drover/operator/fleet/reset-scale-set';
import { imageBake } from '@drover/operator/image/image';
import type { ClusterStage } from '@drover/stage/testing';

/** The desk of an operator who types commands. */
interface Desk {
  readonly fleet: {
    readonly world: World;
    readonly clock: Clock;
    drive<T>(work: Promise<T>, limitMs: number): Promise<T>;
  };
}

const minute = 60_000;
const awsCommand = /aws ([a-z0-9]+) ([a-z]+(?:-[a-z]+)+)((?: --[a-z-]+(?: (?!-)[^\s;]+)?)+)/g;
/** They only show something, or open a shell. */
const looks = /^(describe|get|list|start-session)/;
const lists = new Set(['ScalingProcesses']);
/** Signing names of services that the command calls otherwise. */
const signingNames: Readonly<Record<string, string>> = { elbv2: 'elasticloadbalancing' };
/** `Id=i-1`, as the command takes structures. */
const structure = /^([A-Z]\w*)=(\S+)$/;

const pascal = (kebab: string) => kebab.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The members of a request, by the options of the command. */
export function inputOf(options: string, files: Readonly<Record<string, string>>): Record<string, unknown> {
  const given = [...options.matchAll(/ --(no-)?([a-z-]+)(?: ((?!-)[^\s;]+))?/g)];
  return Object.fromEntries(
    given.map(([, no, option = '', value]) => {
      const member = pascal(option);
      const known = value === undefined ? no === undefined : (files[value] ?? value);
      const [, key, inside] = structure.exec(String(known)) ?? [];
      if (key !== undefined) return [member, [{ [key]: inside }]];
      return [member, lists.has(member) ? [known] : known];
    }),
  );
}

/** Types every command of a printed fix that changes something; `files` has what the operator has written into files. */
export async function runPrinted(
  { fleet }: Desk,
  fix: string,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const typed = [...fix.matchAll(awsCommand)].filter(([, , operation = '']) => !looks.test(operation));
  const [, terminated] = /drover fleet complete-termination (i-\w+)/.exec(fix) ?? [];
  const resets = fix.includes('drover fleet reset-scale-set');
  const bakes = fix.includes('drover image bake');
  if (typed.length === 0 && terminated === undefined && !resets && !bakes) throw new Error(`no command is in: ${fix}`);
  for (const [, service = '', operation = '', options = ''] of typed) {
    const { world } = fleet;
    const call = world.aws.call(service as 'autoscaling', pascal(operation), inputOf(options, files), {
      credentials: world.rootCredentials,
    });
    await fleet.drive(call, 10 * minute);
  }
  const io = operatorIo(fleet, () => {});
  if (resets) await fleet.drive(resetScaleSet(io, { stack: 'runner-fleet', yes: true }), 10 * minute);
  if (bakes) await fleet.drive(imageBake(io, { stack: 'runner-fleet', dryRun: false }), 120 * minute);
  if (terminated === undefined) return;
  await fleet.drive(completeTermination(io, terminated, { stack: 'runner-fleet', yes: true }), 10 * minute);
}

const clusterCommand = /cluster-cli [^;\n]+?(?= (?:names|verifies|shows|on a master)|;|$)/g;

/**
 * Types every command of a printed fix of a cluster: those of AWS and `drover cluster release` at the operator's desk, the
 * others on the instance. Returns what they print.
 */
export async function runPrintedOnCluster(stage: ClusterStage, fix: string, instance?: string): Promise<string> {
  const { deployed, world, clock } = stage;
  const typed = [...fix.matchAll(awsCommand)].filter(([, , operation = '']) => !looks.test(operation));
  for (const [, service = '', operation = '', options = ''] of typed)
    await deployed.aws((signingNames[service] ?? service) as 'autoscaling', pascal(operation), inputOf(options, {}));
  let printed = '';
  const onInstance = [...fix.matchAll(clusterCommand)].map(([command]) => command);
  for (const command of onInstance) {
    const { exitCode, stdout, stderr } = await deployed.run(instance!, command);
    if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}: ${stdout}${stderr}`);
    printed += stdout;
  }
  const [, released] = /drover cluster release (i-\w+)/.exec(fix) ?? [];
  if (typed.length + onInstance.length === 0 && released === undefined) throw new Error(`no command is in: ${fix}`);
  if (released !== undefined) {
    const io = operatorIo({ world, clock }, () => {});
    await stage.drive(releaseInstance(io, released, { stack: 'search-cluster' }));
  }
  return printed;
}
