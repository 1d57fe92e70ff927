import type { World } from '@drover/cloud-world';
import type { Clock } from '@drover/core';
import { operatorIo } from '@drover/local/truth/real-doctor';
import { completeTermination } from '@drover/operator/fleet/repair';

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

const pascal = (kebab: string) => kebab.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The members of a request, by the options of the command. */
export function inputOf(options: string, files: Readonly<Record<string, string>>): Record<string, unknown> {
  const given = [...options.matchAll(/ --(no-)?([a-z-]+)(?: ((?!-)[^\s;]+))?/g)];
  return Object.fromEntries(
    given.map(([, no, option = '', value]) => {
      const member = pascal(option);
      const known = value === undefined ? no === undefined : (files[value] ?? value);
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
  if (typed.length === 0 && terminated === undefined) throw new Error(`no command is in: ${fix}`);
  for (const [, service = '', operation = '', options = ''] of typed) {
    const { world } = fleet;
    const call = world.aws.call(service as 'autoscaling', pascal(operation), inputOf(options, files), {
      credentials: world.rootCredentials,
    });
    await fleet.drive(call, 10 * minute);
  }
  if (terminated === undefined) return;
  const io = operatorIo(fleet, () => {});
  await fleet.drive(completeTermination(io, terminated, { stack: 'runner-fleet', yes: true }), 10 * minute);
}
