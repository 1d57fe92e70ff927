import type { Context } from '../context.ts';
import { exitCodes } from '../exit.ts';
import { type CommandInput, tree } from '../tree/tree.ts';
import type { CommandSpec, OptionSpec } from '../tree/types.ts';

const { commands } = tree;

/** Prints the completion script of a shell, made from the command tree. */
export async function completion(context: Context, { args }: CommandInput<'completion'>): Promise<number> {
  await context.io.stdout.write({ bash, zsh, fish }[args.SHELL]());
  return exitCodes.done;
}

const topWords = () => [...new Set(commands.map(({ path }) => path[0]))];
const wordsBelow = (group: string) =>
  commands.filter(({ path }) => path[0] === group && path.length === 2).map(({ path }) => path[1]!);
const flags = (options: readonly OptionSpec[]) =>
  options.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]);
const valueFlags = () => tree.globalOptions.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`);
const offers = ({ args, options }: CommandSpec) => [...flags(options), '--help', ...(args[0]?.choices ?? [])];

/** Finds the command's words behind global options and their values, then offers what may follow. */
function bash(): string {
  const cases = commands.map((command) => `    "${command.path.join(' ')}") offer "${offers(command).join(' ')}" ;;`);
  const inGroups = Object.keys(tree.groups).map(
    (group) => `    "${group}") offer "${wordsBelow(group).join(' ')} --help" ;;`,
  );
  return `# bash completion of cluster-cli
_cluster_cli() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words="" word skip="" i
  offer() { COMPREPLY=( $(compgen -W "$1" -- "$cur") ); }
  for (( i = 1; i < COMP_CWORD; i++ )); do
    word=\${COMP_WORDS[i]}
    if [ -n "$skip" ]; then skip=""; continue; fi
    case "$word" in
      ${valueFlags().join('|')}) [ -z "$words" ] && skip=1 ;;
      -*) ;;
      *) case "$words" in
           "") words=$word ;;
           ${Object.keys(tree.groups).join('|')}) words="$words $word" ;;
         esac ;;
    esac
  done
  case "$words" in
    "") offer "${[...flags(tree.globalOptions), '--help', '--version', ...topWords()].join(' ')}" ;;
${[...inGroups, ...cases].join('\n')}
  esac
}
complete -o default -F _cluster_cli cluster-cli
`;
}

function zsh(): string {
  return `#compdef cluster-cli
autoload -U +X bashcompinit && bashcompinit
${bash()}`;
}

function fish(): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const option = (condition: string, { name, short, summary, value, choices }: OptionSpec) =>
    `complete -c cluster-cli -n ${quoted(condition)} -l ${name}${short === undefined ? '' : ` -s ${short}`}${value === undefined ? '' : ' -x'}${choices === undefined ? '' : ` -a ${quoted(choices.join(' '))}`} -d ${quoted(summary)}`;
  const words = topWords().map(
    (word) =>
      `complete -c cluster-cli -n '__fish_use_subcommand' -f -a ${word} -d ${quoted(tree.groups[word] ?? commands.find(({ path }) => path[0] === word)!.summary)}`,
  );
  const below = commands
    .filter(({ path }) => path.length === 2)
    .map(
      ({ path, summary }) =>
        `complete -c cluster-cli -n '__fish_seen_subcommand_from ${path[0]}; and not __fish_seen_subcommand_from ${wordsBelow(path[0]).join(' ')}' -f -a ${path[1]} -d ${quoted(summary)}`,
    );
  const own = commands.flatMap((command) =>
    command.options.map((spec) => option(`__fish_seen_subcommand_from ${command.path.at(-1)}`, spec)),
  );
  return `# fish completion of cluster-cli
${[...tree.globalOptions.map((spec) => option('__fish_use_subcommand', spec)), ...words, ...below, ...own].join('\n')}
`;
}
