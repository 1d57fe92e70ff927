import { type Experiment, minutes, no, seconds, yes } from '../experiment.ts';
import { probe } from './probe.ts';

const id = 'E4';
const extra = 'drover-experiment-e4-extra';

/** One set with its name and one more label. */
export const extraLabels: Experiment = {
  id,
  question: 'Do jobs reach one scale set by its name, by an extra label and by both?',
  needs: ['github'],
  minutes: 6,
  usd: 0,
  decides: [
    {
      design: 'types with labels of their own, disjoint or synthesis stops',
      document: 'docs/decisions/0097-types-of-one-fleet.md',
      ifYes: 'labels of types are documented as a way to reach them',
      ifNo: 'the documents say that the name alone routes, and extra_labels is refused in jobs mode',
    },
  ],
  async run({ repository, sets, note }) {
    await repository.push(id, probe);
    const set = await sets.of(id, '', [extra]).create();
    await set.open();
    await set.poll(5, seconds(1));
    const failed: string[] = [];
    for (const runsOn of [[set.name], [extra], [set.name, extra]]) {
      const { mark } = await repository.start(id, runsOn);
      const took = await set.assigned([mark], 5, minutes(1.5));
      note(`runs-on ${JSON.stringify(runsOn)}: ${took === undefined ? 'not assigned' : `assigned after ${took} s`}`);
      if (took === undefined) failed.push(runsOn.join(' and '));
    }
    if (failed.length > 0) return no(`no job was assigned by ${failed.join(', nor by ')}`);
    return yes('the name, the extra label and both together route');
  },
};
