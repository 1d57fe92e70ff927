import { type Experiment, minutes, no, seconds, yes } from '../experiment.ts';
import { probe } from './probe.ts';

const id = 'E1';

/** A job waits while there is no session: before the first session of a set, and between two sessions. */
export const queuedWithoutSession: Experiment = {
  id,
  question: 'Is a job that was queued while no session exists assigned when one opens?',
  needs: ['github'],
  minutes: 8,
  usd: 0,
  decides: [
    {
      design: 'windows that are short while a fleet is quiet',
      document: 'docs/decisions/0110-windows-are-short-while-a-fleet-is-quiet.md',
      ifYes: 'a fleet may look once a minute for a moment, without a session in between',
      ifNo: 'windows stay as long as they are: a session has to be open when a job is queued',
    },
  ],
  async run({ repository, sets, time, note }) {
    await repository.push(id, probe);
    const set = await sets.of(id).create();
    const waits = { 'before the first session': seconds(30), 'between two sessions': seconds(90) };
    for (const [when, waitMs] of Object.entries(waits)) {
      const { mark } = await repository.start(id, set.name);
      await time.pass(waitMs);
      const opened = await set.open();
      note(
        `${when}: statistics of the session that opened ${waitMs / 1_000} s after the job: ${JSON.stringify(opened)}`,
      );
      const took = await set.assigned([mark], 2, minutes(3));
      note(`${when}: ${took === undefined ? 'not assigned within 3 min' : `assigned after ${took} s`}`);
      if (took === undefined) return no(`a job that was queued ${when} was not assigned within 3 minutes`);
      await set.close();
      // The service may take a moment to forget a session.
      await time.pass(seconds(10));
    }
    return yes('both jobs were assigned, that before the first session and that between two sessions');
  },
};
