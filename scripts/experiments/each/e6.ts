import { type Experiment, minutes, no, unclear, yes } from '../experiment.ts';
import { until } from '../lab.ts';

const id = 'E6';

/** On GitHub's own runners: which machines run the jobs does not matter here. */
const jobs = [
  '  fails:',
  `    runs-on: '\${{ fromJSON(inputs.runs_on) }}'`,
  '    timeout-minutes: 5',
  '    steps: [{ run: exit 1 }]',
  '  lasts:',
  `    runs-on: '\${{ fromJSON(inputs.runs_on) }}'`,
  '    timeout-minutes: 10',
  '    steps: [{ run: sleep 120 }]',
].join('\n');

/** A job that has failed is asked for again while another one of its run goes on. */
export const rerunInProgress: Experiment = {
  id,
  question: 'Is the re-run of one job refused while its run is in progress, and accepted when it is completed?',
  needs: ['github'],
  minutes: 8,
  usd: 0.1,
  decides: [
    {
      design: 'jobs of interrupted spot instances run again once (rerun_interrupted_jobs)',
      document: 'docs/decisions/0111-interrupted-jobs-are-run-again-once.md',
      ifYes: 'the window notes the job and asks when its run is completed, as designed',
      ifNo: 'if it is accepted at once, the note is needed only until the job has ended',
    },
  ],
  async run({ repository, hosted, time, note }) {
    await repository.push(id, jobs);
    const { run } = await repository.start(id, hosted);
    const both = async () => {
      const all = await repository.jobs(run);
      const [fails, lasts] = ['fails', 'lasts'].map((name) => all.find((job) => job.name === name));
      return fails !== undefined && lasts !== undefined ? { fails, lasts } : undefined;
    };
    const begun = await until(
      time,
      async () => {
        const seen = await both();
        return seen?.fails.conclusion === 'failure' && seen.lasts.status === 'in_progress' && seen;
      },
      minutes(5),
    );
    if (begun === undefined) return unclear(`the two jobs did not run on ${hosted} as they should`);
    const early = await repository.rerun(begun.fails.id);
    note(`asked while the run is in progress: ${early === undefined ? 'accepted' : early.message}`);
    const over = async () => (await both())?.lasts.status === 'completed';
    if ((await until(time, over, minutes(6))) === undefined) return unclear('the run did not end');
    const late = early === undefined ? undefined : await repository.rerun(begun.fails.id);
    note(`asked when the run is completed: ${late === undefined ? 'accepted' : late.message}`);
    const again = async () => {
      const job = (await both())?.fails;
      return job !== undefined && job.runAttempt === 2 && job;
    };
    const second = await until(time, again, minutes(2));
    note(
      `attempt of the job that failed: ${second?.runAttempt ?? 'still 1'}; of the other: ${(await both())?.lasts.runAttempt}`,
    );
    if (early === undefined) return no('it was accepted while the run was in progress');
    if (late !== undefined || second === undefined) return unclear('it was refused when the run was completed, too');
    return yes(`refused with ${early.status} while in progress, accepted when the run was completed`);
  },
};
