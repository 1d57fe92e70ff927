/** Experiments on a real organisation of GitHub and a real account of AWS: `npm run test:github -- --help`. */
import { createInterface } from 'node:readline/promises';
import { clean, type Ground, leftBy, missing } from './experiments/ground.ts';
import { costOf, help, listOf, type Options, Refused, readOptions } from './experiments/options.ts';
import { keep, make, type Result, tableOf } from './experiments/results.ts';

/** The experiments that will be made; a named one that cannot be made is a refusal. */
function possible({ chosen, named }: Options, ground: Ground): Options['chosen'] {
  const parts = ground.parts(ground.time());
  const lacking = chosen.filter((experiment) => missing(experiment, parts) !== undefined);
  const [first] = lacking;
  if (first !== undefined && (named || lacking.length === chosen.length || parts.github === undefined))
    throw new Refused(`${first.id} ${missing(first, parts)}. --rehearse makes it without any account`);
  return chosen.filter((experiment) => !lacking.includes(experiment));
}

async function agree(options: Options, ground: Ground): Promise<void> {
  const made = possible(options, ground);
  console.log(`In ${ground.name}: ${costOf(made)}.${options.long ? ' Long forms take longer.' : ''}`);
  if (options.agreed) return;
  if (!process.stdin.isTTY) throw new Refused('this is no terminal, so that --yes has to agree to it');
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking.question('Make them? Type yes: ');
  asking.close();
  if (answer.trim() !== 'yes') throw new Refused('not agreed');
}

async function makeAll(options: Options, ground: Ground): Promise<number> {
  const stop = new AbortController();
  const interrupted = () => {
    console.error('\nremoving what was made; what a second signal leaves, --clean removes');
    stop.abort(new Error('interrupted'));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupted);
  const results: Result[] = [];
  for (const experiment of options.chosen) {
    if (stop.signal.aborted) break;
    console.log(`\n${experiment.id} ${experiment.question}`);
    const { long } = options;
    const result = await make(experiment, ground, { long, signal: stop.signal, say: (text) => console.log(text) });
    results.push(result);
    for (const one of result.left) console.error(`  left behind: ${one}`);
    keep(options.json, results);
  }
  console.log(`\n${tableOf(results)}\n\n${options.json} has the evidence.`);
  const bad = results.filter(({ verdict, left }) => verdict === 'unclear' || left.length > 0);
  return bad.length > 0 || stop.signal.aborted ? 1 : 0;
}

async function cleanAll({ chosen }: Options, ground: Ground): Promise<number> {
  const parts = ground.parts(ground.time());
  if (parts.github === undefined && parts.aws === undefined)
    throw new Refused('name where to clean: the options of GitHub, or DROVER_TEST_AWS_ACCOUNT');
  const failures: string[] = [];
  for (const experiment of chosen) {
    const left = await leftBy(experiment, parts);
    if (left.length > 0) console.log(`${experiment.id} has left ${left.join(', ')}`);
    failures.push(...(await clean(experiment, parts)));
  }
  console.log(failures.length === 0 ? 'Nothing is left behind.' : `Not removed:\n  ${failures.join('\n  ')}`);
  return failures.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.mode === 'help') console.log(help);
  if (options.mode === 'list') console.log(listOf(options.chosen));
  if (options.mode === 'help' || options.mode === 'list') return 0;
  if (options.mode === 'rehearse') {
    const { Rehearsal } = await import('./experiments/rehearsal.ts');
    return await makeAll({ ...options, long: false }, await Rehearsal.open());
  }
  const { realGround } = await import('./experiments/real.ts');
  const ground = await realGround(options);
  if (options.mode === 'clean') return await cleanAll(options, ground);
  await agree(options, ground);
  return await makeAll(options, ground);
}

process.exit(
  await main().catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
    console.error(`refused: ${error.message}`);
    return 2;
  }),
);
