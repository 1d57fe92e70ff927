import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../build/version.ts';
import { jobsOf } from './jobs.ts';

it('every job of the workflow CI can be played: each step is a command, a checkout or a version of Node', () => {
  const jobs = jobsOf(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8'));
  const last = (name: string) => jobs.find((job) => job.name === name)?.acts.at(-1);
  expect(last('check')).toEqual({ kind: 'run', line: 'bash .ci/run check' });
  expect(last('node-22')).toEqual({ kind: 'run', line: 'npm run --silent test:packages' });
  expect(jobs.filter(({ acts }) => JSON.stringify(acts).includes('${{'))).toEqual([]);
});

it('a job with an action that cannot be played is refused by the name of the action', () => {
  const workflow =
    'jobs:\n  one:\n    container: { image: "debian:12" }\n    steps:\n      - uses: actions/cache@0000\n';
  expect(() => jobsOf(workflow)).toThrow('actions/cache');
});
