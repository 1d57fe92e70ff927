const flags = ['unattended', 'replace', 'disableupdate', 'no-default-labels', 'ephemeral', 'local'] as const;
const values = ['url', 'token', 'name', 'runnergroup', 'labels', 'work', 'startuptype', 'jitconfig'] as const;
type Flag = (typeof flags)[number];
/** An option with a value. */
export type OptionName = (typeof values)[number];
type Env = Readonly<Record<string, string | undefined>>;

/** Options of a command line; one that is missing is looked for in the environment (actions/runner, CommandSettings.cs). */
export class Options {
  readonly unknown: string | undefined;
  readonly #given = new Map<string, string>();
  readonly #env: Env;

  constructor(argv: readonly string[], env: Env) {
    this.#env = env;
    for (let index = 0; index < argv.length; index++) {
      const name = argv[index]!.replace(/^--/, '');
      if (!argv[index]!.startsWith('--')) continue;
      if (flags.includes(name as Flag)) this.#give(name, 'true');
      else if (values.includes(name as OptionName)) this.#give(name, argv[++index] ?? '');
      else this.unknown ??= name;
    }
  }

  /** The first of two counts. */
  #give(name: string, value: string): void {
    if (!this.#given.has(name)) this.#given.set(name, value);
  }

  has(flag: Flag): boolean {
    return this.#of(flag)?.toLowerCase() === 'true';
  }

  value(name: OptionName): string | undefined {
    return this.#of(name);
  }

  #of(name: string): string | undefined {
    const value = this.#given.get(name) ?? this.#env[`ACTIONS_RUNNER_INPUT_${name.toUpperCase()}`];
    return value === '' ? undefined : value;
  }
}
