import { flagsOf } from './parse.ts';
import type { ArgumentSpec, CommandSpec, CommandTree, OptionSpec } from './types.ts';

/** A term that is longer than this share of the line stands on a line of its own. */
const widestColumn = 0.4;
/** Lines are not made longer than people like to read. */
const widestPage = 100;

type Item = readonly [term: string, description: string];

const helpItem: Item = ['-h, --help', 'show this help'];

/** The help of the program (no words), of a group, or of a command. */
export function helpText(tree: CommandTree, path: readonly string[], width = 80): string {
  const command = tree.commands.find((spec) => spec.path.join(' ') === path.join(' '));
  const page =
    command !== undefined ? commandHelp(command) : path.length === 0 ? programHelp(tree) : groupHelp(tree, path[0]!);
  return pageText(tree.program, page, Math.min(width, widestPage));
}

function programHelp({ globalOptions, commands, groups, summary, details, examples }: CommandTree): Page {
  const words = [...new Set(commands.map(({ path }) => path[0]))];
  const items = words.map((word): Item => {
    const command = commands.find((spec) => spec.path.length === 1 && spec.path[0] === word);
    return command === undefined ? [word, groups[word]!] : [termOf(command), command.summary];
  });
  const options = [['-V, --version', 'print the version'], ...globalOptions.map(optionItem), helpItem] as const;
  const sections = { Options: options, Commands: items };
  return { usage: '[OPTIONS] COMMAND', description: [summary], sections, after: details, examples };
}

function groupHelp({ commands, groups }: CommandTree, group: string): Page {
  const items = commands
    .filter(({ path }) => path[0] === group)
    .map((command): Item => [termOf(command), command.summary]);
  const sections = { Options: [helpItem], Commands: items };
  return { usage: `${group} COMMAND`, description: [groups[group]!], sections, after: [], examples: [] };
}

function commandHelp({ path, summary, details = [], args = [], options = [], examples }: CommandSpec): Page {
  return {
    usage: [...path, '[options]', ...args.map(placeholder)].join(' '),
    description: [summary, ...details],
    sections: { Arguments: args.map(argumentItem), Options: [...options.map(optionItem), helpItem] },
    after: [],
    examples,
  };
}

/** `<NAME>`, or `[NAME]` if it may be left out. */
export function placeholder({ name, optional, list }: ArgumentSpec): string {
  const typed = list === true ? `${name}...` : name;
  return optional === true ? `[${typed}]` : `<${typed}>`;
}

const termOf = ({ path, args = [], options = [] }: CommandSpec) =>
  [path.at(-1), ...(options.length === 0 ? [] : ['[options]']), ...args.map(placeholder)].join(' ');

const argumentItem = ({ name, summary, choices }: ArgumentSpec): Item => [name, `${summary}${notes({ choices })}`];

const optionItem = (spec: OptionSpec): Item => [flagsOf(spec), `${spec.summary}${notes(spec)}`];

function notes({ choices, default: fallback, defaultText, env }: Partial<OptionSpec>): string {
  const parts = [
    ...(choices === undefined ? [] : [`choices: ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`]),
    ...(fallback === undefined ? [] : [`default: ${JSON.stringify(fallback)}`]),
    ...(defaultText === undefined ? [] : [`default: ${defaultText}`]),
    ...(env === undefined ? [] : [`env: ${env}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

interface Page {
  readonly usage: string;
  readonly description: readonly string[];
  readonly sections: Readonly<Record<string, readonly Item[]>>;
  readonly after: readonly string[];
  readonly examples: CommandSpec['examples'];
}

function pageText(program: string, { usage, description, sections, after, examples }: Page, width: number): string {
  const shown = Object.entries(sections).filter(([, items]) => items.length > 0);
  const lengths = shown.flatMap(([, items]) => items.map(([term]) => term.length));
  const column = Math.max(...lengths.filter((length) => length <= widestColumn * width));
  const blocks = shown.map(
    ([title, items]) => `${title}:\n${items.map((item) => itemText(item, column, width)).join('')}`,
  );
  const paragraphs = (lines: readonly string[]) => lines.map((line) => `${wrap(line, width)}\n`).join('');
  const typed = examples.map(
    ([command, effect]) => `${commandLine(`${program} ${command}`, width)}      ${wrap(effect, width - 6, 6)}\n`,
  );
  return [
    `Usage: ${program} ${usage}\n`,
    paragraphs(description),
    ...blocks,
    ...(after.length === 0 ? [] : [paragraphs(after)]),
    ...(typed.length === 0 ? [] : [`Examples:\n${typed.join('')}`]),
  ].join('\n');
}

function itemText([term, description]: Item, column: number, width: number): string {
  const indent = column + 4;
  const head = term.length > column ? `${term}\n${' '.repeat(indent)}` : `${term.padEnd(column)}  `;
  return `  ${head}${wrap(description, width - indent, indent)}\n`;
}

/** A long command is continued before an option, as a shell lets it be typed. */
const commandLine = (typed: string, width: number) =>
  `  $ ${fill(typed.split(/ (?=-)/), width - 10).join(' \\\n        ')}\n`;

/** Breaks a line between words; those after the first are indented. */
const wrap = (text: string, width: number, indent = 0) => fill(text.split(' '), width).join(`\n${' '.repeat(indent)}`);

/** Lines of as many words as fit. */
function fill(words: readonly string[], width: number): readonly string[] {
  const [first = '', ...rest] = words;
  const lines = [first];
  for (const word of rest) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
