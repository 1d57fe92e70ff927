import { type Experiment, minutes, nameOf, no, unclear, yes } from '../experiment.ts';
import { until } from '../lab.ts';

const id = 'E7';
const versions = ['v4', 'v5', 'v6'];

const jobs = versions
  .map((version) =>
    [
      `  ${version}:`,
      `    runs-on: '\${{ fromJSON(inputs.runs_on) }}'`,
      '    timeout-minutes: 10',
      '    steps:',
      '      - run: mkdir -p cached && date > cached/file',
      `      - uses: actions/cache@${version}`,
      `        with: { path: cached, key: ${nameOf(id)}-${version}-\${{ inputs.id }} }`,
    ].join('\n'),
  )
  .join('\n');

/** The cache's clients as the original runner executes them, with a preload in its Node. */
export const preloadSeesCache: Experiment = {
  id,
  question: 'Does a preload by NODE_OPTIONS see the requests of actions/cache v4, v5 and v6 to the cache service?',
  needs: ['github', 'runner'],
  minutes: 15,
  usd: 0,
  decides: [
    {
      design: 'a cache near the runners without changes to workflows',
      document: 'docs/decisions/0113-caches-near-the-runners-without-a-secret.md',
      ifYes: 'a preload may redirect requests for the cache alone, and let everything else be',
      ifNo: 'the bucket with its role stays the only cache: workflows name it',
    },
  ],
  notRehearsed:
    'the runner of the embedded GitHub executes no actions, and there is no cache service behind it: only the preload itself is tested',
  async run({ repository, sets, runner, time, note }) {
    await repository.push(id, jobs);
    const set = await sets.of(id).create();
    await set.open();
    const { run } = await repository.start(id, set.name);
    const seen: Record<string, boolean> = {};
    for (let index = 0; index < versions.length; index++) {
      await set.poll(versions.length, minutes(0.5));
      const { secret, remove } = await set.jit(nameOf(id, String(index)));
      const running = runner.start(secret);
      try {
        const before = (await repository.jobs(run)).filter(({ status }) => status === 'completed').length;
        const done = async () => {
          await set.poll(versions.length, minutes(0.1));
          const completed = (await repository.jobs(run)).filter(({ status }) => status === 'completed');
          return completed.length > before && completed;
        };
        const completed = await until(time, done, minutes(6));
        if (completed === undefined) return unclear('the runner did not carry out a job within 6 minutes');
        const job = completed.find(({ name }) => !(name in seen))!;
        const all = running.seen();
        const loaded = all.filter(({ event }) => event === 'loaded').length;
        const cache = all.filter(({ path = '' }) => /^\/twirp\/.*CacheService\//.test(path)).map(({ path }) => path);
        note(`actions/cache@${job.name} ${job.conclusion}: ${loaded} processes loaded, ${JSON.stringify(cache)}`);
        if (loaded === 0) return no('NODE_OPTIONS did not reach the Node that executes actions');
        if (job.conclusion !== 'success')
          return unclear(`the job with actions/cache@${job.name} ended in ${job.conclusion}`);
        seen[job.name] = cache.length > 0;
      } finally {
        await running.end();
        await remove();
      }
    }
    const missed = Object.keys(seen).filter((version) => seen[version] === false);
    if (missed.length > 0) return no(`requests of actions/cache ${missed.join(', ')} were not seen`);
    return yes(`requests of actions/cache ${versions.join(', ')} to the cache service were seen`);
  },
};
