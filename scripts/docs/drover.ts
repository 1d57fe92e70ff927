/** Writes docs/reference/drover.md from the command's own tree, so that the reference cannot differ from the command. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildProgram } from '../../apps/drover/src/program.ts';
import type { DroverIo } from '../../packages/operator/src/io.ts';

type Command = ReturnType<typeof buildProgram>;
type Option = Command['options'][number];

/** The path of the page. */
export const droverPage = fileURLToPath(new URL('../../docs/reference/drover.md', import.meta.url));

/** The reference of `drover` as Markdown. */
export function droverReference(): string {
  const program = buildProgram({ stdout: () => {}, stderr: () => {} } as unknown as DroverIo, () => {});
  return [
    '# `drover`',
    '',
    '<!-- Written by scripts/docs/drover.ts from the command tree: change that, not this. -->',
    '',
    program.description(),
    '',
    'The usual AWS variables name account and region. Data goes to stdout, everything else to stderr. Exit codes: 0 done, 1 failed or,',
    'of a `doctor`, something was found, 2 a mistake in what was typed, 3 (`doctor`, `fleet status`) nothing wrong was found but a part could not be',
    'read; others are listed with their command.',
    ...leaves(program).flatMap(commandSection),
    '',
  ].join('\n');
}

const leaves = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.filter((each) => each.name() !== 'help').flatMap(leaves);

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

function commandSection(command: Command): readonly string[] {
  const args = command.registeredArguments.map((each) => {
    const typed = `${each.name()}${each.variadic ? '...' : ''}`;
    return each.required ? `<${typed}>` : `[${typed}]`;
  });
  const description = command.description();
  return [
    '',
    `## ${pathOf(command)}`,
    '',
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    '',
    '```text',
    [pathOf(command), ...args, '[options]'].join(' '),
    '```',
    '',
    ...(command.registeredArguments.length === 0
      ? []
      : [
          '| Argument | Meaning |',
          '|---|---|',
          ...command.registeredArguments.map((each) => `| \`${each.name()}\` | ${escaped(each.description)} |`),
          '',
        ]),
    '| Option | Meaning | Default |',
    '|---|---|---|',
    ...command.options.map(optionRow),
  ];
}

function optionRow({
  flags,
  description,
  defaultValue,
  defaultValueDescription,
  envVar,
  argChoices,
  mandatory,
}: Option) {
  const choices = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`;
  const variable = envVar === undefined ? '' : `; also from \`${envVar}\``;
  const shown = defaultValueDescription ?? (Array.isArray(defaultValue) ? '' : defaultValue);
  const fallback = mandatory
    ? 'required'
    : shown === undefined || shown === false || shown === ''
      ? '–'
      : `\`${shown}\``;
  return `| \`${flags}\` | ${escaped(description)}${choices}${variable} | ${fallback} |`;
}

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(droverPage, droverReference());
