/** One test as it would run against an account. */
export interface PlannedTest {
  readonly title: string;
  readonly minutes: number;
  readonly instances: number;
}

/** Reads what a test costs from its title, where `contract` has written it. */
export function planned(title: string): PlannedTest {
  const [, minutes = '0', instances = '0'] = /\(about (\d+) min(?:, (\d+) instances?)?\)$/.exec(title) ?? [];
  return { title, minutes: Number(minutes), instances: Number(instances) };
}

/** How many tests run at the same time: files times tests of a file. */
export const workers = { files: 4, testsOfAFile: 3 };

/** Describes a run of these tests to the person who will pay for it. */
export function describePlan(tests: readonly PlannedTest[]): string {
  const minutes = tests.map((test) => test.minutes);
  const total = minutes.reduce((sum, each) => sum + each, 0);
  const longest = Math.max(0, ...minutes);
  const estimate = Math.max(longest, Math.ceil((total / (workers.files * workers.testsOfAFile)) * 1.5));
  const instanceHours = tests.reduce((sum, test) => sum + (test.minutes * test.instances) / 60, 0);
  return [
    ...tests.map((test) => `  ${test.title}`),
    `${tests.length} tests, about ${estimate} minutes (${total} one after the other).`,
    `They create groups, launch templates and t3.nano or t3.micro instances (about ${instanceHours.toFixed(1)} instance hours),`,
    'roles, instance profiles, functions, queues, rules, alarms, secrets and stacks, all named or tagged',
    'drover-contract, and remove them again, also when a test fails. What is left is listed at the end.',
  ].join('\n');
}
