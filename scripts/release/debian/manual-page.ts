/** Manual pages in section 1, written from the command trees, in the macros of man(7). */
import { tree as clusterCli } from '../../../apps/cluster-cli/src/tree/tree.ts';
import { usage as runnerAgent } from '../../../apps/runner-agent/src/command-line.ts';
import type { CommandSpec, CommandTree, OptionSpec } from '../../../packages/command-tree/src/types.ts';
import { moduleVersion } from '../../../packages/core/src/names/version.ts';
import { usage } from '../../docs/command-reference.ts';

/** The page of each command that hosts have. */
export const manualPages: Readonly<Record<string, () => string>> = {
  'cluster-cli': () => commandPage(clusterCli),
  'runner-agent': agentPage,
};

/** The page of a command with a tree. */
export function commandPage(tree: CommandTree): string {
  const { program, summary, details, globalOptions, commands, examples } = tree;
  return lines([
    heading(program, summary),
    ['.SH SYNOPSIS', text(`${program} [OPTIONS] COMMAND [ARGUMENTS]`)],
    [
      '.SH DESCRIPTION',
      ...paragraphs([summary, ...details, `${program} COMMAND --help shows the help of one command.`]),
    ],
    globalOptions.length === 0 ? [] : ['.SH OPTIONS', ...globalOptions.flatMap(option)],
    ['.SH COMMANDS', ...commands.flatMap((command) => commandEntry(program, command))],
    ['.SH EXAMPLES', ...examples.flatMap(([typed, effect]) => item(`${program} ${typed}`, effect))],
  ]);
}

function commandEntry(program: string, command: CommandSpec): string[] {
  const { path, summary, details = [], args = [], options = [] } = command;
  return [
    `.SS ${text(path.join(' '))}`,
    '.nh',
    text(usage(program, command)),
    '.hy',
    ...paragraphs([`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, ...details]),
    ...args.flatMap(({ name, summary, choices = [] }) => item(name, [summary, ...choices].join(', '))),
    ...options.flatMap(option),
  ];
}

const option = ({ name, short, value, summary }: OptionSpec): string[] =>
  item(`${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`, summary);

/** Its usage is a table already. */
function agentPage(): string {
  const [title = '', ...rows] = runnerAgent.split('\n');
  const [program = '', summary = ''] = title.split(': ');
  return lines([heading(program, summary), ['.SH SYNOPSIS', '.nf', ...rows.map(text), '.fi']]);
}

const heading = (program: string, summary: string): string[] => [
  `.TH ${program.toUpperCase()} 1 "" "Drover ${moduleVersion}" "User Commands"`,
  '.SH NAME',
  `${program} \\- ${text(summary.replace(/\.$/, ''))}`,
];

const item = (term: string, meaning: string): string[] => ['.TP', `\\fB${text(term)}\\fR`, text(meaning)];
const paragraphs = (all: readonly string[]): string[] => all.flatMap((each) => ['.PP', text(each)]);
const lines = (sections: readonly (readonly string[])[]): string => `${sections.flat().join('\n')}\n`;

/** A hyphen that is typed is `\-`, and a line must not begin like a macro (man(7), groff_char(7)). */
const text = (words: string): string =>
  words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&');
