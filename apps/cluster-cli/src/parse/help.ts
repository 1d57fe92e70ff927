import { globalOptions } from '../tree/globals.ts';
import { commands, groups } from '../tree/tree.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from '../tree/types.ts';
import { flagsOf } from './parse.ts';

/** A description column that is narrower than this is not wrapped. */
const leastColumn = 40;

type Item = readonly [term: string, description: string];
const helpItem: Item = ['-h, --help', 'show this help'];

/** The help of the program (no words), of a group, or of a command. */
export function helpText(path: readonly string[], width = 80): string {
  const command = commands.find((spec) => spec.path.join(' ') === path.join(' '));
  if (command !== undefined) return commandHelp(command, width);
  return path.length === 0 ? programHelp(width) : groupHelp(path[0]!, width);
}

function programHelp(width: number): string {
  const words = [...new Set<string>(commands.map(({ path }) => path[0]))];
  const items = words.map((word): Item => {
    const command = commands.find((spec) => spec.path.length === 1 && spec.path[0] === word);
    return command === undefined ? [word, groups[word]!] : [termOf(command), command.summary];
  });
  const options: readonly Item[] = [['--version', 'print the version'], ...globalOptions.map(optionItem), helpItem];
  return page(width, {
    usage: '[OPTIONS] COMMAND',
    description: 'Manage an Elasticsearch cluster that runs in autoscaling groups.',
    sections: { Options: options, Commands: items },
    after: programEpilogue,
  });
}

function groupHelp(group: string, width: number): string {
  const items = commands
    .filter(({ path }) => path[0] === group)
    .map((command): Item => [termOf(command), command.summary]);
  return page(width, {
    usage: `${group} COMMAND`,
    description: groups[group]!,
    sections: { Options: [helpItem], Commands: items },
  });
}

function commandHelp(command: CommandSpec, width: number): string {
  const { path, summary, details = [], args, options, examples } = command;
  const lines = examples.map(([typed, does]) => `  $ cluster-cli ${typed}\n      ${does}`);
  return page(width, {
    usage: [...path, '[options]', ...args.map(placeholder)].join(' '),
    description: [summary, ...details].join('\n'),
    sections: { Arguments: args.map(argumentItem), Options: [...options.map(optionItem), helpItem] },
    after: `\nExamples:\n${lines.join('\n')}\n`,
  });
}

const placeholder = ({ name, optional }: ArgumentSpec) => (optional === true ? `[${name}]` : `<${name}>`);

const termOf = ({ path, args, options }: CommandSpec) =>
  [path.at(-1), ...(options.length === 0 ? [] : ['[options]']), ...args.map(placeholder)].join(' ');

const argumentItem = ({ name, summary, choices }: ArgumentSpec): Item => [name, `${summary}${notes(choices)}`];
const optionItem = (spec: OptionSpec): Item => [flagsOf(spec), `${spec.summary}${notes(spec.choices, spec.default)}`];

function notes(choices: readonly string[] | undefined, fallback?: string | number): string {
  const parts = [
    ...(choices === undefined ? [] : [`choices: ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`]),
    ...(fallback === undefined ? [] : [`default: ${JSON.stringify(fallback)}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

interface Page {
  readonly usage: string;
  readonly description: string;
  readonly sections: Readonly<Record<string, readonly Item[]>>;
  readonly after?: string;
}

function page(width: number, { usage, description, sections, after = '' }: Page): string {
  const shown = Object.entries(sections).filter(([, items]) => items.length > 0);
  const column = Math.max(...shown.flatMap(([, items]) => items.map(([term]) => term.length)));
  const blocks = shown.map(
    ([title, items]) => `${title}:\n${items.map((item) => itemText(item, column, width)).join('')}`,
  );
  return `${[`Usage: cluster-cli ${usage}\n`, `${wrap(description, width)}\n`, ...blocks].join('\n')}${after}`;
}

function itemText([term, description]: Item, column: number, width: number): string {
  const left = width - column - 4;
  const text = left < leastColumn ? description : wrap(description, left);
  return `  ${term.padEnd(column)}  ${text.replaceAll('\n', `\n${' '.repeat(column + 4)}`)}\n`;
}

/** Breaks lines between words. */
const wrap = (text: string, width: number) =>
  text
    .split('\n')
    .map((line) => {
      const lines = [''];
      for (const word of line.split(' ')) {
        const last = lines.at(-1)!;
        if (last === '') lines[lines.length - 1] = word;
        else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
        else lines.push(word);
      }
      return lines.join('\n');
    })
    .join('\n');

const programEpilogue = `
Exit codes: 0 done, 1 failed, 2 usage, 3 refused by a safety check, 4 timed out, 5 stalled.
Data goes to stdout, everything else to stderr.

Examples:
  $ cluster-cli cluster-health                       how is the cluster?
  $ cluster-cli --format json cat nodes              the nodes, for a script
  $ cluster-cli cluster decommission-node --reason upgrade --dry-run
                                                     could this node go now?
  $ cluster-cli cluster decommission-node --help     what a command does
`;
