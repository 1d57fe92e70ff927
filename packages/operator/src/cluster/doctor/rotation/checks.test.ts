import { expect, it } from 'vitest';
import type { ClusterFacts } from '../facts.ts';
import { announcedPassword, webUiToken } from './checks.ts';
import type { RotationFacts } from './facts.ts';

const hour = 3_600_000;
const now = Date.UTC(2026, 5, 1);
const facts = (value: Partial<RotationFacts>) =>
  ({ now, rotation: { kind: 'read', value: { announcedAt: undefined, token: undefined, ...value } } }) as ClusterFacts;
const use = (label: string, isCurrent: boolean) => ({ label, versionId: 'v', isCurrent });
const token = (hours: number, ...uses: ReturnType<typeof use>[]) => ({
  token: { secretId: 'arn', changedAt: now - hours * hour, uses },
});

it.each([
  ['nothing is announced', {}, 'ok'],
  ['one was announced hours ago', { announcedAt: now - 5 * hour }, 'notice'],
  ['one was announced three days ago', { announcedAt: now - 72 * hour }, 'problem'],
])('doctor says what becomes of an announced password of elastic: %s', (_title, found, verdict) => {
  expect(announcedPassword(facts(found)).verdict).toBe(verdict);
});

it.each([
  ['it logs in with a password', {}, 'ok'],
  ['no web UI gives a label', token(9), 'ok'],
  ['all have the current one', token(9, use('a', true), use('b', true)), 'ok'],
  ['one is being replaced', token(1, use('a', true), use('b', false)), 'ok'],
  ['one has had an earlier one for hours', token(9, use('a', true), use('b', false)), 'problem'],
])('doctor names a web UI that does not take its newest token: %s', (_title, found, verdict) => {
  expect(webUiToken(facts(found)).verdict).toBe(verdict);
});

it('the remedy for a web UI that is gone names its label and version', () => {
  expect(webUiToken(facts(token(9, use('USED-BY-gone', false)))).fix).toContain(
    '--version-stage USED-BY-gone --remove-from-version-id v',
  );
});
