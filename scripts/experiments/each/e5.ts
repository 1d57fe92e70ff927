import { type Experiment, minutes, no, seconds, yes } from '../experiment.ts';
import type { ScaleSet } from '../scale-sets.ts';
import { probe } from './probe.ts';

const id = 'E5';
const names = ['one', 'two'];

interface Count {
  polls: number;
  renewed: number;
  lost: number;
}

/** Two sets of one client, as the types of a fleet have them. */
export const twoSets: Experiment = {
  id,
  question: 'Do two sets of one client keep their sessions and get their jobs (short: 10 minutes; --long: 48 hours)?',
  needs: ['github'],
  minutes: 12,
  usd: 0,
  decides: [
    {
      design: 'one function watches the scale sets of all types',
      document: 'docs/decisions/0097-types-of-one-fleet.md',
      ifYes: 'sessions of several sets share a client and its connection',
      ifNo: 'each type needs a connection, or a function, of its own',
    },
  ],
  async run({ repository, sets, time, long, note }) {
    await repository.push(id, probe);
    const end = time.now() + (long ? minutes(48 * 60) : minutes(10));
    const everyMs = long ? minutes(60) : minutes(4);
    const both = [];
    for (const name of names) both.push(await sets.of(id, name).create());
    for (const set of both) await set.open();
    const count: Count = { polls: 0, renewed: 0, lost: 0 };
    const started: { readonly set: ScaleSet; readonly mark: string }[] = [];
    let due = time.now();
    while (time.now() < end) {
      if (time.now() >= due) {
        due += everyMs;
        for (const set of both) started.push({ set, ...(await repository.start(id, set.name)) });
      }
      for (const set of both) await look(set, count);
    }
    const missed = started.filter(({ set, mark }) => !set.hasBeenAssigned(mark));
    note(JSON.stringify({ started: started.length, missed: missed.length, ...count }));
    if (count.lost > 0) return no(`${count.lost} sessions ended by themselves`);
    if (missed.length > 0) return no(`${missed.length} of ${started.length} jobs were not assigned`);
    return yes(`${started.length} jobs, ${count.polls} polls, ${count.renewed} renewals, no session lost`);
  },
};

/** One poll; a token that has expired is renewed, a session that is over is opened again and counted. */
async function look(set: ScaleSet, count: Count): Promise<void> {
  const message = await set.poll(10_000, seconds(20));
  count.polls += 1;
  if (message !== 'token-expired') return;
  count.renewed += 1;
  if ((await set.renew()) !== 'unknown') return;
  count.lost += 1;
  await set.open();
}
