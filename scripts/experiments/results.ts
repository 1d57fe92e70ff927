import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Decides, type Experiment, unclear, type Verdict } from './experiment.ts';
import { clean, type Ground, labOf, leftBy, missing } from './ground.ts';

export interface Result {
  readonly id: string;
  readonly question: string;
  readonly verdict: Verdict | 'not run';
  readonly because: string;
  /** With the seconds since the beginning. */
  readonly evidence: readonly string[];
  readonly seconds: number;
  readonly at: string;
  readonly ground: string;
  readonly rehearsed: boolean;
  readonly decides: readonly Decides[];
  /** The things that could not be removed. */
  readonly left: readonly string[];
}

/** Makes one experiment and removes everything that it made, whatever happens. */
export async function make(
  experiment: Experiment,
  ground: Ground,
  options: { readonly long?: boolean; readonly signal?: AbortSignal; readonly say?: (text: string) => void } = {},
): Promise<Result> {
  const { id, question, decides } = experiment;
  const { long = false, signal, say = () => {} } = options;
  const time = ground.time(signal);
  const begin = time.now();
  const since = () => Math.round((time.now() - begin) / 1_000);
  const evidence: string[] = [];
  const note = (text: string) => {
    evidence.push(`${since()} s: ${text}`);
    say(`  ${evidence.at(-1)}`);
  };
  const result = (verdict: Result['verdict'], because: string, left: readonly string[] = []): Result => ({
    ...{ id, question, verdict, because, evidence, seconds: since() },
    ...{ at: new Date(begin).toISOString(), ground: ground.name, rehearsed: ground.rehearsed, decides, left },
  });

  // Removing goes on when the signal has ended everything else.
  const parts = ground.parts(ground.time());
  const lacks = missing(experiment, parts);
  if (ground.rehearsed && experiment.notRehearsed !== undefined) return result('not run', experiment.notRehearsed);
  if (lacks !== undefined) return result('not run', lacks);
  const before = await leftBy(experiment, parts);
  if (before.length > 0)
    return result('not run', `there are ${before.join(', ')}: another run goes on, or one was killed (--clean)`);
  try {
    const { verdict, because } = await experiment
      .run(labOf(ground, time, long, note))
      .catch((error: unknown) => unclear(error instanceof Error ? error.message : String(error)));
    return result(verdict, because, await clean(experiment, parts));
  } catch (error) {
    return result('unclear', String(error), await clean(experiment, parts));
  }
}

/** The results as a table. */
export function tableOf(results: readonly Result[]): string {
  const rows = results.map(({ id, verdict, question, because }) => [id, verdict, question, because]);
  const [first = 0, second = 0] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map(
      ([id, verdict, question, because]) =>
        `${id!.padEnd(first)}  ${verdict!.padEnd(second)}  ${question}\n${' '.repeat(first + second + 4)}${because}`,
    )
    .join('\n');
}

/** Writes results to a file, which keeps those of other experiments. */
export function keep(file: string, results: readonly Result[]): void {
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly Result[]) : [];
  const others = known.filter(({ id }) => !results.some((result) => result.id === id));
  const number = ({ id }: Result) => Number(id.slice(1));
  mkdirSync(dirname(file), { recursive: true });
  const all = [...others, ...results].sort((a, b) => number(a) - number(b));
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
}
