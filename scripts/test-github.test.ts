import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { experiments } from './experiments/list.ts';
import { help, listOf, readOptions } from './experiments/options.ts';
import { readToken } from './experiments/real.ts';

const named = ['--organisation', 'acme', '--repository', 'acme/experiments'];

it.each([
  ['a repository without an organisation', ['--repository', 'acme/x'], '--organisation is missing'],
  ['an organisation without a repository', ['--organisation', 'acme'], '--repository is missing'],
  ['no place of a token', named, '--token-env NAME or --token-file FILE is missing'],
  ['two places of a token', [...named, '--token-env', 'A', '--token-file', 'b'], 'not both'],
  ['a repository of another owner', ['--organisation', 'acme', '--repository', 'else/x'], 'must belong to acme'],
  ['a repository that is none', ['--organisation', 'acme', '--repository', 'x'], 'OWNER/NAME'],
  ['an experiment that there is not', ['--only', 'E1,E99'], 'no experiment E99'],
  ['an option that there is not', ['--tokn=ghp_secret'], 'no option --tokn:'],
  ['a bare word', ['ghp_secret'], 'everything is an option'],
  ['two modes', ['--list', '--clean'], 'exclude each other'],
])('test:github refuses %s before anything is asked', (_what, args, reason) => {
  expect(() => readOptions(args)).toThrow(reason);
});

it.each([
  ['--token-env', 'ghp_0123456789abcdef'],
  ['--token-env', 'github_pat_0123456789'],
  ['--token-env', 'eyJhbGciOi.JIUzI1NiJ9'],
  ['--token-file', 'ghs_0123456789abcdef'],
])('test:github takes no token in %s, and does not repeat %s', (option, token) => {
  const read = () => readOptions([...named, option, token]);
  expect(read).toThrow('revoke it');
  expect(read).not.toThrow(token);
});

it('a token is read from a variable or from a file that only its owner may read', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-')), 'token');
  writeFileSync(file, 'from-file\n', { mode: 0o600 });
  process.env.DROVER_TEST_TOKEN_OF_EXPERIMENTS = 'from-variable';

  expect(readToken({ file }).reveal()).toBe('from-file');
  expect(readToken({ variable: 'DROVER_TEST_TOKEN_OF_EXPERIMENTS' }).reveal()).toBe('from-variable');
  delete process.env.DROVER_TEST_TOKEN_OF_EXPERIMENTS;
  expect(() => readToken({ variable: 'DROVER_TEST_TOKEN_OF_EXPERIMENTS' })).toThrow('is empty or not set');
  chmodSync(file, 0o644);
  expect(() => readToken({ file })).toThrow('others may read');
});

it('help has every option, and the list has question, cost and decision of every experiment', () => {
  for (const option of ['--only', '--clean', '--token-env', '--token-file', '--yes', '--long', '--json', '--subnet'])
    expect(help).toContain(option);
  const list = listOf(experiments);
  for (const { id, question, decides } of experiments) {
    expect(list).toContain(`${id.padEnd(4)} ${question}`);
    for (const { design } of decides) expect(list).toContain(design);
  }
  expect(list).toMatch(/10 experiments, one after the other: about \d+ min, at most \d\.\d\d USD/);
});

it('refuses to make anything without an organisation, and says what is missing', () => {
  const { PATH } = process.env;
  const options = { env: { PATH }, encoding: 'utf8' } as const;
  const told = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/test-github.ts', '--yes'], options);

  expect([told.status, told.stdout]).toEqual([2, '']);
  expect(told.stderr).toContain('refused: E1 needs --organisation, --repository and --token-env or --token-file');
});
