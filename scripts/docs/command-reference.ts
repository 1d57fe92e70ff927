import type { ArgumentSpec, CommandSpec, CommandTree, OptionSpec } from '../../packages/command-tree/src/types.ts';

/** A section for each command of a tree, as Markdown. */
export const commandSections = ({ program, commands }: CommandTree): readonly string[] =>
  commands.flatMap((command) => commandSection(program, command));

function commandSection(program: string, command: CommandSpec): readonly string[] {
  const { args = [], options = [] } = command;
  return [
    '',
    `## ${program === 'drover' ? 'drover ' : ''}${command.path.join(' ')}`,
    '',
    sentence(command.summary),
    ...(command.details ?? []),
    '',
    '```text',
    usage(program, command),
    '```',
    ...(args.length === 0 ? [] : ['', ...argumentTable(args)]),
    ...(options.length === 0 ? [] : ['', ...optionTable(options)]),
    '',
    ...command.examples.map(([typed, effect]) => `- \`${program} ${typed}\`: ${effect}`),
  ];
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** How a command is typed, with everything that it takes. */
export function usage(program: string, { path, options = [], args = [] }: CommandSpec): string {
  const option = (spec: OptionSpec) => {
    const value = spec.value === undefined ? '' : spec.preset === undefined ? ` ${spec.value}` : ` [${spec.value}]`;
    const typed = `${spec.short === undefined ? '' : `-${spec.short}|`}--${spec.name}${value}`;
    return spec.required === true ? typed : `[${typed}]`;
  };
  const argument = ({ name, optional, list }: ArgumentSpec) => {
    const typed = list === true ? `${name}...` : name;
    return optional === true ? `[${typed}]` : typed;
  };
  return [program, ...path, ...options.map(option), ...args.map(argument)].join(' ');
}

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

function argumentTable(args: readonly ArgumentSpec[]): readonly string[] {
  const rows = args.map(
    ({ name, optional, choices, summary }) =>
      `| \`${escaped(name)}\` | ${optional === true ? 'no' : 'yes'} | ${escaped(summary)}${choices === undefined ? '' : `: ${choices.join(', ')}`} |`,
  );
  return ['| Argument | Required | Meaning |', '|---|---|---|', ...rows];
}

/** A table of options. */
export function optionTable(options: readonly OptionSpec[]): readonly string[] {
  const rows = options.map((option) => {
    const { name, short, value, choices, default: fallback, defaultText, required, summary, env } = option;
    const typed = `\`${short === undefined ? '' : `-${short}, `}--${name}\``;
    const given = value === undefined ? 'flag' : choices === undefined ? escaped(value) : choices.join(', ');
    const shown = required === true ? 'required' : (fallback ?? defaultText ?? '–');
    const variable = env === undefined ? '' : `; also from \`${env}\``;
    return `| ${typed} | ${given} | ${shown} | ${escaped(summary)}${variable} |`;
  });
  return ['| Option | Value | Default | Meaning |', '|---|---|---|---|', ...rows];
}
