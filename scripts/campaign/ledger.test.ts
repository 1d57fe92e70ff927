import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { codeOf, Ledger } from './ledger.ts';

const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
afterAll(() => rmSync(folder, { recursive: true }));
const common = { faults: 0, checks: 0, summary: '' };

it('a ledger knows the seeds that are green for the same scenario and the same code, by their last result', () => {
  const file = join(folder, 'results');
  const ledger = new Ledger(file, 'histories', 'now');
  expect(ledger.green().size).toBe(0);
  for (const [seed, violations] of [
    [1, []],
    [2, ['a job was lost']],
    [3, ['a job was lost']],
    [3, []],
    [4, []],
    [4, ['a job was lost']],
  ] as const)
    ledger.add({ ...common, seed, violations });
  new Ledger(file, 'again', 'now').add({ ...common, seed: 5, violations: [] });
  new Ledger(file, 'histories', 'before').add({ ...common, seed: 6, violations: [] });
  expect([...ledger.green()]).toEqual([1, 3]);
  for (const seed of [2, 10, 9]) ledger.add({ ...common, seed, violations: [], cpuSeconds: 1.5 });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    'histories now': { green: '1-3,9-10', failed: '4', cpuSeconds: 4.5 },
    'again now': { green: '5', failed: '', cpuSeconds: 0 },
    'histories before': { green: '6', failed: '', cpuSeconds: 0 },
  });
});

it('the code of a ledger is another one when a module that plays or a package has changed, and no other module', async () => {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const code = () => codeOf([join(folder, 'plays.ts')], join(folder, 'lock.json'));
  write('lock.json', '{}');
  write('imported.ts', 'export const number: number = 1;');
  write('plays.ts', "export const play = async () => (await import('./imported.ts')).number;");
  const first = await code();
  write('other.ts', 'export const number = 2;');
  expect(await code()).toBe(first);
  write('imported.ts', 'export const number: number = 2;');
  const second = await code();
  write('lock.json', '{ "lockfileVersion": 3 }');
  expect(new Set([first, second, await code()]).size).toBe(3);
});
