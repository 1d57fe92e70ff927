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
    describeRows(platform, on, describe);
  });
}

type Group = (title: string, rows: () => void) => void;

function describeRows(platform: RunnerPlatform, on: On, group: Group): void {
  group('config.sh', () => describeConfiguration(on));
  group('Runner.Listener', () => describeListener(on, platform));
  group('a job', () => describeJobs(on, platform.exact));
  if (!platform.exact) group('a step', () => describeSteps(on, platform.kind));
  group('a job that has begun', () => describeBeginnings(on));
  group('an outage of GitHub', () => describeOutages(on, platform.exact));
  if (platform.exact) group('an outage, as the original was seen', () => describeSeenOutages(on, platform));
  group('a signal', () => describeSignals(on, platform.exact));
  group('an ephemeral runner', () => describeEphemeral(on));
}

/** The titles of the rows that every one of these platforms runs, and of those that some do not. */
export function rowsOf(platforms: readonly RunnerPlatform[]): {
  readonly shared: readonly string[];
  readonly apart: readonly string[];
} {
  const each = platforms.map((platform) => {
    const titles: string[] = [];
    const on: On = (title, _act, when) => {
      const skipped = typeof when === 'object' && platform.kind === 'original' && when.unless?.() !== true;
      if (!skipped) titles.push(title);
    };
    describeRows(platform, on, (_, rows) => rows());
    return new Set(titles);
  });
  const all = [...new Set(each.flatMap((titles) => [...titles]))];
  const isShared = (title: string) => each.every((titles) => titles.has(title));
  return { shared: all.filter(isShared), apart: all.filter((title) => !isShared(title)) };
}
