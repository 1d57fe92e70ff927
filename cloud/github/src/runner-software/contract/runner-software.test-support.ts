import { describe, it } from 'vitest';
import { describeConfiguration } from './configuration.test-support.ts';
import {
  describeBeginnings,
  describeJobs,
  describeOutages,
  describeSeenOutages,
  describeSteps,
} from './jobs.test-support.ts';
import { describeEphemeral, describeListener, describeSignals } from './listener.test-support.ts';
import type { On, RunnerPlatform } from './runner-bench.test-support.ts';

/** The behaviour of GitHub's runner software on its host, row by row; every stand-in must do the same. */
export function describeRunnerSoftware(platform: RunnerPlatform): void {
  describe(`the runner software on ${platform.name}`, () => {
    // On a real clock tests wait most of the time: they do it together.
    const test = platform.exact ? it : it.concurrent;
    const on: On = (title, act, when) => {
      if (!platform.everything && when !== 'always') return;
      if (typeof when === 'object' && platform.kind === 'original' && when.unless?.() !== true)
        return it.skip(`${title} (skipped: ${when.notOriginal})`, () => {});
      test(title, async () => {
        const bench = await platform.open();
        try {
          await act(bench);
        } finally {
          await bench.close();
        }
      });
    };
    describe('config.sh', () => describeConfiguration(on));
    describe('Runner.Listener', () => describeListener(on, platform));
    describe('a job', () => describeJobs(on, platform.exact));
    if (!platform.exact) describe('a step', () => describeSteps(on, platform.kind));
    describe('a job that has begun', () => describeBeginnings(on));
    describe('an outage of GitHub', () => describeOutages(on, platform.exact));
    if (platform.exact) describe('an outage, as the original was seen', () => describeSeenOutages(on, platform));
    describe('a signal', () => describeSignals(on, platform.exact));
    describe('an ephemeral runner', () => describeEphemeral(on));
  });
}
