/** An option as a completion script needs it. */
export interface CompletedOption {
  /** Without dashes. */
  readonly name: string;
  readonly short?: string | undefined;
  /** Placeholder of the value; a flag has none. */
  readonly value?: string | undefined;
  readonly choices?: readonly string[] | undefined;
  readonly summary: string;
}

/** The words of a command line that has commands of one or two words. */
export interface CompletedCommands {
  readonly globalOptions: readonly CompletedOption[];
  readonly commands: readonly {
    readonly path: readonly string[];
    readonly summary: string;
    readonly args: readonly { readonly choices?: readonly string[] | undefined }[];
    readonly options: readonly CompletedOption[];
  }[];
  /** One line about each group of commands. */
  readonly groups: Readonly<Record<string, string>>;
}

export const completedShells = ['bash', 'zsh', 'fish'] as const;

/** The completion script of a shell for a program. */
export const completionScript = (
  shell: (typeof completedShells)[number],
  program: string,
  commands: CompletedCommands,
): string => ({ bash, zsh, fish })[shell](program, commands);

const topWords = ({ commands }: CompletedCommands) => [...new Set(commands.map(({ path }) => path[0]!))];
const wordsBelow = ({ commands }: CompletedCommands, group: string) =>
  commands.filter(({ path }) => path[0] === group && path.length === 2).map(({ path }) => path[1]!);
const flags = (options: readonly CompletedOption[]) =>
  options.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]);

/** Finds the command's words behind global options and their values, then offers what may follow. */
function bash(program: string, tree: CompletedCommands): string {
  const own = program.replaceAll('-', '_');
  const valueFlags = tree.globalOptions.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`);
  const skipValues = valueFlags.length === 0 ? '' : `      ${valueFlags.join('|')}) [ -z "$words" ] && skip=1 ;;\n`;
  const cases = tree.commands.map(
    ({ path, args, options }) =>
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

function zsh(program: string, tree: CompletedCommands): string {
  return `#compdef ${program}
autoload -U +X bashcompinit && bashcompinit
${bash(program, tree)}`;
}

function fish(program: string, tree: CompletedCommands): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const option = (condition: string, { name, short, summary, value, choices }: CompletedOption) =>
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
    command.options.map((spec) => option(`__fish_seen_subcommand_from ${command.path.at(-1)}`, spec)),
  );
  return `# fish completion of ${program}
${[...tree.globalOptions.map((spec) => option('__fish_use_subcommand', spec)), ...words, ...below, ...own].join('\n')}
`;
}
