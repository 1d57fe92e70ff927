const flags = ['unattended', 'replace', 'disableupdate', 'no-default-labels', 'ephemeral', 'local'] as const;
const values = ['url', 'token', 'name', 'runnergroup', 'labels', 'work', 'startuptype', 'jitconfig'] as const;
type Flag = (typeof flags)[number];
/** An option with a value. */
export type OptionName = (typeof values)[number];
type Env = Readonly<Record<string, string | undefined>>;

/** Options of a command line; one that is missing is looked for in the environment (actions/runner, CommandSettings.cs). */
export class Options {
  readonly unknown: string | undefined;
  /** The first of two counts. */
  readonly #given: Partial<Record<string, string>> = {};
  readonly #env: Env;

  constructor(argv: readonly string[], env: Env) {
    this.#env = env;
    for (let index = 0; index < argv.length; index++) {
      const name = argv[index]!.replace(/^--/, '');
      if (!argv[index]!.startsWith('--')) continue;
      if (flags.includes(name as Flag)) this.#given[name] ??= 'true';
      else if (values.includes(name as OptionName)) this.#given[name] ??= argv[++index] ?? '';
      else this.unknown ??= name;
    }
  }

  has(flag: Flag): boolean {
    return this.value(flag)?.toLowerCase() === 'true';
  }

  value(name: OptionName | Flag): string | undefined {
    const value = this.#given[name] ?? this.#env[`ACTIONS_RUNNER_INPUT_${name.toUpperCase()}`];
    return value === '' ? undefined : value;
  }
}
