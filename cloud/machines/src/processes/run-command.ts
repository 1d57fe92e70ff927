import { never } from '@drover/cloud-engine';
import type { CommandResult, Program, Shell, SpawnOptions } from '../program.ts';
import { parseCommandLine, type Step } from './command-line.ts';
import type { MachineProcess } from './process.ts';

/** Output beyond this is cut off. */
const maxOutput = 1_000_000;

/** The part of a machine that running command lines needs. */
export interface CommandHost {
  program(name: string): Program | undefined;
  spawn(name: string, program: Program, options: SpawnOptions, output: OutputSink): MachineProcess;
  /** Whether the machine is up: results of commands that died with it never arrive. */
  up(): boolean;
}

export type OutputSink = (stream: 'stdout' | 'stderr', text: string) => void;

/** A command line on its way, which can be called off. */
export interface RunningCommand {
  run(commandLine: string): Promise<CommandResult>;
  cancel(): void;
}

/** By the shell that a machine has been given. Nothing comes back from a machine that is not up any more. */
export function runByShell(shell: Shell, up: () => boolean): RunningCommand {
  const abort = new AbortController();
  return {
    run: async (commandLine) => {
      const result = await shell(commandLine, abort.signal);
      return up() ? result : await never;
    },
    cancel: () => abort.abort(),
  };
}

/** By the commands that are defined on a machine. */
export class CommandRun implements RunningCommand {
  #host: CommandHost;
  #options: SpawnOptions;
  #output = { stdout: '', stderr: '' };
  #current: MachineProcess | undefined;
  #cancelled = false;

  constructor(host: CommandHost, options: SpawnOptions) {
    this.#host = host;
    this.#options = options;
  }

  async run(commandLine: string): Promise<CommandResult> {
    return this.#result(await this.#runLine(commandLine));
  }

  async #runLine(commandLine: string): Promise<number> {
    let steps: Step[];
    try {
      steps = parseCommandLine(commandLine);
    } catch (error) {
      this.#write('stderr', `${(error as Error).message}\n`);
      return 2;
    }
    let exitCode = 0;
    for (const { when, words } of steps) {
      if (this.#cancelled) break;
      if ((when === 'on-success' && exitCode !== 0) || (when === 'on-failure' && exitCode === 0)) continue;
      exitCode = await this.#runStep(words);
    }
    return exitCode;
  }

  /** Kills what runs and starts nothing more. */
  cancel(): void {
    this.#cancelled = true;
    this.#current?.signal('SIGKILL');
  }

  /** Variables before a command are its own: `NAME=value command` (sh(1), simple commands). */
  async #runStep(words: readonly string[]): Promise<number> {
    const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
    const [name, ...rest] = first < 0 ? ['true'] : (words.slice(first) as [string, ...string[]]);
    const env = Object.fromEntries(words.slice(0, Math.max(first, 0)).map(splitVariable));
    const program = name === 'flock' ? this.#flock : this.#host.program(name);
    if (program === undefined) {
      this.#write('stderr', `sh: ${name}: not found\n`);
      return 127;
    }
    const options = { ...this.#options, env: { ...this.#options.env, ...env }, argv: [name, ...rest] };
    this.#current = this.#host.spawn(name, program, options, (stream, text) => this.#write(stream, text));
    const exitCode = await this.#current.ended;
    return this.#host.up() ? exitCode : await never;
  }

  /** flock(1), as `flock FILE sh -c 'COMMANDS'`: the shell and its commands end with this run. */
  #flock: Program = async (context) => {
    const [, path, shell, option, commandLine, ...more] = context.argv;
    if (shell !== 'sh' || option !== '-c' || commandLine === undefined || more.length > 0) {
      context.stderr(`flock: ${context.argv.slice(1).join(' ')} is not modelled\n`);
      return 2;
    }
    for (let holder = context.lock(path!); holder !== undefined; holder = context.lock(path!)) await holder.ended;
    return await this.#runLine(commandLine);
  };

  #write(stream: 'stdout' | 'stderr', text: string): void {
    if (this.#output[stream].length < maxOutput) this.#output[stream] += text;
  }

  #result(exitCode: number): CommandResult {
    return { exitCode, ...this.#output };
  }
}

const splitVariable = (word: string): [string, string] => {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
};

/** Commands that every machine has. */
export const builtInCommands: Readonly<Record<string, Program>> = {
  true: async () => 0,
  false: async () => 1,
  echo: async ({ argv, stdout }) => {
    stdout(`${argv.slice(1).join(' ')}\n`);
    return 0;
  },
};
