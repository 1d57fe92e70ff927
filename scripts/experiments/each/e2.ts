import type { DemandStatistics } from '@drover/runner-fleet';
import { type Experiment, no, seconds, yes } from '../experiment.ts';
import { until } from '../lab.ts';
import { probe } from './probe.ts';

const id = 'E2';
const freshMs = seconds(60);

/** Jobs that the numbers know of, whether they are assigned or not. */
const known = (numbers: DemandStatistics | undefined) =>
  numbers === undefined ? 0 : numbers.assigned + numbers.available;

/** The numbers in the responses to PATCH and POST, without a poll. */
export const freshStatistics: Experiment = {
  id,
  question: 'Are the statistics in the responses to PATCH and POST of a session fresh?',
  needs: ['github'],
  minutes: 6,
  usd: 0,
  decides: [
    {
      design: 'windows that are short while a fleet is quiet',
      document: 'docs/decisions/0110-windows-are-short-while-a-fleet-is-quiet.md',
      ifYes: 'one PATCH or POST a minute shows whether anything waits',
      ifNo: 'a quiet fleet has to poll, and pays for the seconds of it',
    },
  ],
  async run({ repository, sets, time, note }) {
    await repository.push(id, probe);
    const set = await sets.of(id).create();
    note(`POST, nothing queued: ${JSON.stringify(await set.open())}`);
    await set.poll(5, seconds(1));
    let queued = 0;
    for (const way of ['PATCH', 'POST', 'PATCH'] as const) {
      await repository.start(id, set.name);
      queued += 1;
      const begin = time.now();
      const look = async () => {
        if (way === 'POST') await set.close();
        const numbers = way === 'POST' ? await set.open() : await set.renew();
        if (numbers === 'unknown') throw new Error('the session is over');
        note(
          `${way}, ${queued} queued, after ${Math.round((time.now() - begin) / 1_000)} s: ${JSON.stringify(numbers)}`,
        );
        if (numbers === undefined) return 'no numbers' as const;
        return known(numbers) >= queued && ('fresh' as const);
      };
      const seen = await until(time, look, freshMs);
      if (seen === 'no numbers') return no(`the response to ${way} has no statistics`);
      if (seen === undefined) return no(`${way} did not count a job that was queued ${freshMs / 1_000} s before`);
    }
    return yes('each job was counted within a minute of its start, by PATCH and by POST, without a poll');
  },
};
