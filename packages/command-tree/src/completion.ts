import type { CommandTree, OptionSpec } from './types.ts';

/** The completion script of a shell. */
export const completionScript = (shell: 'bash' | 'zsh' | 'fish', tree: CommandTree): string =>
  ({ bash, zsh, fish })[shell](tree.program, tree);

const topWords = ({ commands }: CommandTree) => [...new Set(commands.map(({ path }) => path[0]))];
const wordsBelow = ({ commands }: CommandTree, group: string) =>
  commands.filter(({ path }) => path[0] === group && path.length === 2).map(({ path }) => path[1]!);
const flags = (options: readonly OptionSpec[]) =>
  options.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]);

/** Finds the command's words behind global options and their values, then offers what may follow. */
function bash(program: string, tree: CommandTree): string {
  const own = program.replaceAll('-', '_');
  const valueFlags = tree.globalOptions.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`);
  const skipValues = valueFlags.length === 0 ? '' : `      ${valueFlags.join('|')}) [ -z "$words" ] && skip=1 ;;\n`;
  const cases = tree.commands.map(
    ({ path, args = [], options = [] }) =>
      `    "${path.join(' ')}") offer "${[...flags(options), '--help', ...(args[0]?.choices ?? [])].join(' ')}" ;;`,
  );
  const inGroups = Object.keys(tree.groups).map(
    (group) => `    "${group}") offer "${wordsBelow(tree, group).join(' ')} --help" ;;`,
  );
  return `# bash completion of ${program}
_${own}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words="" word skip="" i
  offer() { COMPREPLY=( $(compgen -W "$1" -- "$cur") ); }
  for (( i = 1; i < COMP_CWORD; i++ )); do
    word=\${COMP_WORDS[i]}
    if [ -n "$skip" ]; then skip=""; continue; fi
    case "$word" in
${skipValues}      -*) ;;
      *) case "$words" in
           "") words=$word ;;
           ${Object.keys(tree.groups).join('|')}) words="$words $word" ;;
         esac ;;
    esac
  done
  case "$words" in
    "") offer "${[...flags(tree.globalOptions), '--help', '--version', ...topWords(tree)].join(' ')}" ;;
${[...inGroups, ...cases].join('\n')}
  esac
}
complete -o default -F _${own} ${program}
`;
}

function zsh(program: string, tree: CommandTree): string {
  return `#compdef ${program}
autoload -U +X bashcompinit && bashcompinit
${bash(program, tree)}`;
}

function fish(program: string, tree: CommandTree): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const option = (condition: string, { name, short, summary, value, choices }: OptionSpec) =>
    `complete -c ${program} -n ${quoted(condition)} -l ${name}${short === undefined ? '' : ` -s ${short}`}${value === undefined ? '' : ' -x'}${choices === undefined ? '' : ` -a ${quoted(choices.join(' '))}`} -d ${quoted(summary)}`;
  const words = topWords(tree).map(
    (word) =>
      `complete -c ${program} -n '__fish_use_subcommand' -f -a ${word} -d ${quoted(tree.groups[word] ?? tree.commands.find(({ path }) => path[0] === word)!.summary)}`,
  );
  const below = tree.commands
    .filter(({ path }) => path.length === 2)
    .map(
      ({ path, summary }) =>
        `complete -c ${program} -n '__fish_seen_subcommand_from ${path[0]}; and not __fish_seen_subcommand_from ${wordsBelow(tree, path[0]!).join(' ')}' -f -a ${path[1]} -d ${quoted(summary)}`,
    );
  const own = tree.commands.flatMap((command) =>
    (command.options ?? []).map((spec) => option(`__fish_seen_subcommand_from ${command.path.at(-1)}`, spec)),
  );
  return `# fish completion of ${program}
${[...tree.globalOptions.map((spec) => option('__fish_use_subcommand', spec)), ...words, ...below, ...own].join('\n')}
`;
}
