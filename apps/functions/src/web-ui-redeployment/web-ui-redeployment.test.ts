import { expect, it } from 'vitest';
import { decideRedeployment } from './web-ui-redeployment.ts';

const secret = { changedAt: 100.9, current: 'b', labelled: 'a' };

it.each([
  ['the secret changed after the tasks started', secret, { deployedAt: 99, completed: true }, 'replace-tasks'],
  ['it changed within the same second', secret, { deployedAt: 100.1, completed: true }, 'replace-tasks'],
  ['the tasks are being replaced', secret, { deployedAt: 101, completed: false }, 'none'],
  ['all tasks are newer than the secret', secret, { deployedAt: 101, completed: true }, 'confirm'],
  ['no version had the label', { ...secret, labelled: undefined }, { deployedAt: 101, completed: true }, 'confirm'],
  [
    'a label has changed the secret since',
    { ...secret, labelled: 'b', changedAt: 200 },
    { deployedAt: 101, completed: true },
    'none',
  ],
  ['the secret has no value', { changedAt: 100 }, { deployedAt: 101, completed: true }, 'none'],
] as const)('what the web UI does about its token, when %s', (_title, found, deployment, expected) => {
  expect(decideRedeployment(found, deployment, true)).toBe(expected);
});

it.each([
  [{ deployedAt: 99, completed: true }, 'replace-tasks'],
  [{ deployedAt: 101, completed: true }, 'none'],
] as const)('a web UI that logs in with a password gives no label: %o', (deployment, expected) => {
  expect(decideRedeployment(secret, deployment, false)).toBe(expected);
});
