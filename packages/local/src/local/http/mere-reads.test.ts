import type { HttpRequest } from '@drover/cloud-engine';
import { expect, it } from 'vitest';
import { isMereRead } from './mere-reads.ts';

const sent = (given: { method?: string; query?: string; target?: string; body?: string }): HttpRequest => ({
  method: given.method ?? 'POST',
  host: 'aws',
  path: '/',
  query: given.query ?? '',
  headers: { ...(given.target === undefined ? {} : { 'x-amz-target': given.target }) },
  body: Buffer.from(given.body ?? ''),
});

it.each([
  ['Logs_20140328.FilterLogEvents', true],
  ['secretsmanager.DescribeSecret', true],
  ['secretsmanager.GetSecretValue', false],
  ['secretsmanager.GetRandomPassword', false],
  ['AmazonSSM.SendCommand', false],
])('whether %s leaves the world as it was: %s', (target, expected) => {
  expect(isMereRead(sent({ target }))).toBe(expected);
});

it.each([
  [{ body: 'Action=DescribeInstances&Version=2016-11-15' }, true],
  [{ method: 'GET', query: 'Version=1&Action=TerminateInstances' }, false],
  [{ body: 'Version=2011-06-15&Action=GetSessionToken' }, false],
  [{ method: 'GET' }, true],
  [{ method: 'HEAD' }, true],
  [{ method: 'PUT' }, false],
])('whether the request %j leaves the world as it was: %s', (given, expected) => {
  expect(isMereRead(sent(given))).toBe(expected);
});
