import { TerminalError } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { explain } from './first-errors.ts';

describe('explain', () => {
  it.each([
    [new Error('Region is missing'), '. .drover/local.env'],
    [new Error('connect ECONNREFUSED 127.0.0.1:8601'), 'drover local does not run there'],
    [new AggregateError([new Error('connect ECONNREFUSED ::1:8601')], ''), 'drover local does not run there'],
    [new Error('Could not load credentials from any providers'), 'AWS_PROFILE'],
  ])('explain shows the way on for %s', (error, remedy) => {
    expect(explain(error)).toContain(remedy);
  });

  it('explain says the remedy of an error of our own, and nothing more of another', () => {
    expect(explain(new TerminalError('no', { remedy: 'do this' }))).toBe('no; do this');
    expect(explain(new Error('connect ECONNREFUSED 10.0.0.1:443'))).toBe('connect ECONNREFUSED 10.0.0.1:443');
    expect(explain(new Error('GET /x: 503', { cause: new Error('GET /x: 503') }))).toBe('GET /x: 503');
  });
});
