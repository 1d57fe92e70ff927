import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../build/version.ts';

const folder = join(root, '.github/workflows');
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');

it.each(readdirSync(folder))('actions of the workflow %s are pinned by commit', (name) => {
  const uses = [...textOf(name).matchAll(/\buses: (\S+)/g)].map(([, action]) => action!);
  expect(uses.length).toBeGreaterThan(0);
  expect(uses.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
});

const script = readFileSync(join(root, '.ci/run'), 'utf8');
const lanesOfScript = [...script.matchAll(/(?:^ *|\) )lane (\S+) (\d+) /gm)].map(
  ([, name, seconds]) => [name!, Number(seconds)] as const,
);

/** Lanes in the background, and the one in front of them, take as long as the longest. */
function secondsOfAll(): number {
  let [sum, beside] = [0, 0];
  for (const line of script.split('\n')) {
    const seconds = Number(/^ *lane \S+ (\d+) /.exec(line)?.[1] ?? 0);
    if (beside > 0 || line.endsWith('&')) beside = Math.max(beside, seconds);
    else sum += seconds;
    if (line === 'wait') [sum, beside] = [sum + beside, 0];
  }
  return sum;
}

it('the lanes of .ci/run take an hour on two cores, and end after an hour and a half at the latest', () => {
  expect(script).toMatch(/seconds=\$\(\(\$2 \* 3 \/ 2 \* \$\{DROVER_SLOWER:-1\}\)\)/);
  expect(secondsOfAll()).toBeGreaterThan(1_800);
  expect(secondsOfAll()).toBeLessThanOrEqual(3_600);
});

it('every lane of .ci/run is a job of the workflow CI, except the one that needs GitHub’s own runner', () => {
  const lanes = lanesOfScript.map(([name]) => name);
  const [, matrix = ''] = /^ {8}lane:\n((?: {10}- \S+\n)+)/m.exec(textOf('ci.yml')) ?? [];
  const jobs = [...matrix.matchAll(/- (\S+)/g)].map(([, name]) => name);
  expect([...jobs, 'npm-test-runner'].sort()).toEqual(lanes.sort());
});

it('.ci/run installs the Debian packages of the lanes that it is asked for, by names of lanes that exist', () => {
  const [, cases = ''] = /case "\$named" in\n(.*?)\n {2}esac/s.exec(script) ?? [];
  const named = [...cases.matchAll(/^ {4}([\w |-]+)\)/gm)].flatMap(([, names]) => names!.split(' | '));
  const lanes = lanesOfScript.map(([name]) => name);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !lanes.includes(name))).toEqual([]);
});

it('every job that publishes a release waits for approval and may do nothing but prove who it is', () => {
  const jobs = textOf('release.yml').split(/^(?= {2}[\w-]+:$)/m);
  const publishing = jobs.filter((job) => /npm publish|pypi-publish/.test(job));
  expect(publishing).toHaveLength(2);
  for (const job of publishing) {
    expect(job).toMatch(/^ {4}environment: publish$/m);
    expect(job).toMatch(/^ {4}permissions:\n {6}id-token: write\n {4}\w/m);
  }
});

it('the drafted release has the files of every folder that a release consists of', () => {
  const text = textOf('release.yml');
  const folders = ['npm', 'python', 'go', 'java', 'dotnet', 'deb'];
  expect(folders.filter((folder) => !new RegExp(`\\b${folder}/\\*`).test(text))).toEqual([]);
  expect(['cloudformation.tar.gz', 'terraform.tar.gz'].filter((file) => !text.includes(file))).toEqual([]);
});
