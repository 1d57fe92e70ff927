import type { Account } from './account.ts';
import type { Experiment, Need } from './experiment.ts';
import type { Lab, Time } from './lab.ts';
import { setSuffixes } from './list.ts';
import type { Repository } from './repository.ts';
import type { RealRunner } from './runner.ts';
import type { ScaleSets } from './scale-sets.ts';

/** The parts of GitHub, AWS and this machine that the command was given. */
export interface Parts {
  readonly github?: { readonly repository: Repository; readonly sets: ScaleSets };
  readonly aws?: Account;
  readonly runner?: RealRunner;
}

/** Where experiments are made: a real organisation and account, or the doubles. */
export interface Ground {
  /** In the words of the table. */
  readonly name: string;
  readonly rehearsed: boolean;
  readonly hosted: string;
  /** A signal ends every wait, and with it the experiment. */
  time(signal?: AbortSignal): Time;
  parts(time: Time): Parts;
}

/** How each need is named to the command. */
const naming: Readonly<Record<Need, string>> = {
  github: '--organisation, --repository and --token-env or --token-file',
  aws: 'DROVER_TEST_AWS_ACCOUNT, with credentials of that account',
  runner: "--runner-folder, with GitHub's runner unpacked",
};

/** The needs of an experiment that were not given, in words; undefined when all is there. */
export function missing({ needs }: Experiment, parts: Parts): string | undefined {
  const absent = needs.filter((need) => parts[need] === undefined);
  return absent.length === 0 ? undefined : `needs ${absent.map((need) => naming[need]).join('; ')}`;
}

/** The surroundings of one experiment, which `missing` has looked at. */
export function labOf(ground: Ground, time: Time, long: boolean, note: (text: string) => void): Lab {
  const { github, aws, runner } = ground.parts(time);
  return {
    time,
    get repository() {
      return there(github).repository;
    },
    get sets() {
      return there(github).sets;
    },
    get account() {
      return there(aws);
    },
    get runner() {
      return there(runner);
    },
    hosted: ground.hosted,
    long,
    note,
  };
}

function there<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('asked for what the experiment does not say it needs');
  return part;
}

/** The things that an experiment has left, also in a run that was killed. */
export async function leftBy({ id }: Experiment, { github, aws }: Parts): Promise<readonly string[]> {
  return [
    ...((await github?.repository.left(id)) ?? []),
    ...((await github?.sets.left(id, setSuffixes[id] ?? [])) ?? []),
    ...((await aws?.left(id)) ?? []),
  ];
}

/** Removes it: jobs first, since a set whose jobs run is not deleted. Returns what could not be removed. */
export async function clean({ id }: Experiment, { github, aws }: Parts): Promise<readonly string[]> {
  const steps = [
    () => github?.repository.clean(id),
    () => github?.sets.clean(id, setSuffixes[id] ?? []),
    () => aws?.clean(id),
  ];
  const failures: string[] = [];
  for (const step of steps)
    await Promise.resolve()
      .then(step)
      .catch((error: unknown) => failures.push(error instanceof Error ? error.message : String(error)));
  return failures;
}
