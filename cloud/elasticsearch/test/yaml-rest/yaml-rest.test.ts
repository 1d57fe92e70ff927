import { beforeAll, describe, expect, it } from 'vitest';
import { embeddedTarget } from './embedded-target.ts';
import { knownFailures } from './known-failures.ts';
import { loadSuite, suiteExists } from './load-suite.ts';
import { type Outcome, runCase } from './run-case.ts';

/** The version that the tests were written for. */
const version = '7.10.2';

const because = suiteExists() ? '' : ' (skipped: the folder ../shared/contracts/elasticsearch-yaml is not there)';

describe.skipIf(!suiteExists())(`the official REST tests of ${version}${because}`, () => {
  const outcomes = new Map<string, Outcome>();

  beforeAll(async () => {
    for (const test of loadSuite())
      outcomes.set(`${test.file}: ${test.name}`, await runCase(test, await embeddedTarget(version)));
  });

  const keysOf = (kind: Outcome['kind']) => [...outcomes].filter(([, outcome]) => outcome.kind === kind);

  it('at least nine in ten official REST tests pass on the embedded cluster', () => {
    const inRange = outcomes.size - keysOf('skipped').length;
    const passed = keysOf('passed').length;
    console.log(
      `${passed} of ${inRange} cases pass; ${keysOf('skipped').length} more are not for version ${version} by their own word`,
    );
    expect(outcomes.size).toBeGreaterThan(0);
    expect(passed / inRange).toBeGreaterThanOrEqual(0.9);
  });

  it('every official REST test that fails is listed with its reason', () => {
    const unlisted = keysOf('failed').filter(([key]) => knownFailures[key] === undefined);
    expect(unlisted.map(([key, outcome]) => `${key}: ${'reason' in outcome ? outcome.reason : ''}`)).toEqual([]);
  });

  it('every listed failure is a case that exists and fails', () => {
    const failed = new Set(keysOf('failed').map(([key]) => key));
    expect(Object.keys(knownFailures).filter((key) => !failed.has(key))).toEqual([]);
  });
});
