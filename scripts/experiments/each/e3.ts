import { type Experiment, minutes, no, seconds, unclear, yes } from '../experiment.ts';
import { probe } from './probe.ts';

const id = 'E3';

/** Jobs that are queued while a set announces no room, and while it announces some. */
export const announcedZero: Experiment = {
  id,
  question: 'Does a ceiling of 0 strand the jobs that are queued meanwhile, and a ceiling of at least 1 none?',
  needs: ['github'],
  minutes: 25,
  usd: 0,
  decides: [
    {
      design: 'a fleet whose launches fail announces at least 1',
      document: 'docs/decisions/0047-the-demand-is-watched-in-windows.md',
      ifYes: 'the floor of 1 stays, and with it the story of jobs that are never started',
      ifNo: 'if 0 strands nothing, the floor only costs; if 1 strands jobs too, only a second group helps',
    },
  ],
  async run({ repository, sets, long, note }) {
    await repository.push(id, probe);
    const limitMs = minutes(long ? 15 : 6);
    const floor = await sets.of(id, 'one').create();
    await floor.open();
    await floor.poll(1, seconds(1));
    const jobs = [await repository.start(id, floor.name), await repository.start(id, floor.name)];
    await floor.poll(1, seconds(25));
    const marks = jobs.map(({ mark }) => mark);
    const assigned = await floor.assigned(marks, 2, limitMs);
    note(
      `ceiling 1, then 2, two jobs: ${assigned === undefined ? 'not both assigned' : `both assigned after ${assigned} s`}`,
    );
    if (assigned === undefined) return no(`a job that was queued at a ceiling of 1 was not assigned at 2`);
    await floor.close();

    const zero = await sets.of(id, 'zero').create();
    await zero.open();
    await zero.poll(0, seconds(2));
    const { mark } = await repository.start(id, zero.name);
    await zero.poll(0, seconds(25));
    const late = await zero.assigned([mark], 2, limitMs);
    note(
      `ceiling 0, then 2: ${late === undefined ? `not assigned within ${limitMs / 60_000} min` : `assigned after ${late} s`}`,
    );
    const { mark: next } = await repository.start(id, zero.name);
    const after = await zero.assigned([next], 2, minutes(3));
    note(`queued after that, at 2: ${after === undefined ? 'not assigned within 3 min' : `assigned after ${after} s`}`);
    if (after === undefined) return unclear('the set that had announced 0 got no job at all afterwards');
    if (late !== undefined) return no(`a job that was queued at a ceiling of 0 was assigned ${late} s after it rose`);
    return yes('at a ceiling of 0 the job stayed queued after it rose; at 1 none did');
  },
};
