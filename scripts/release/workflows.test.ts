import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from './packages.ts';

interface Workflow {
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly environment?: string;
        readonly permissions?: Readonly<Record<string, string>>;
        readonly strategy?: { readonly matrix: { readonly lane: readonly string[] } };
        readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
      }
    >
  >;
}

const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map(
  (name) => [name, parse(readFileSync(join(folder, name), 'utf8')) as Workflow] as const,
);
const workflow = (name: string) => new Map(workflows).get(name)!;

it.each(workflows)('actions of the workflow %s are pinned by commit', (_name, { jobs }) => {
  const uses = Object.values(jobs).flatMap(({ steps }) => steps.flatMap((step) => step.uses ?? []));
  expect(uses.filter((use) => !/@[0-9a-f]{40}$/.test(use))).toEqual([]);
});

it('every lane of .ci/run is a job of the workflow CI, except the one that needs GitHub’s own runner', () => {
  const lanes = [...readFileSync(join(root, '.ci/run'), 'utf8').matchAll(/^ *lane (\S+) \d+ /gm)].map(
    ([, name]) => name,
  );
  const { strategy } = workflow('ci.yml').jobs.lane!;
  expect([...strategy!.matrix.lane, 'npm-test-runner'].sort()).toEqual(lanes.sort());
});

it('a release is published by a job that waits for approval and has no right but to say who it is', () => {
  const publishing = Object.values(workflow('release.yml').jobs).filter(({ steps }) =>
    steps.some(({ run }) => run?.includes('npm publish')),
  );
  expect(publishing).toMatchObject([{ environment: 'publish', permissions: { 'id-token': 'write' } }]);
  expect(Object.keys(publishing[0]!.permissions!)).toEqual(['id-token']);
});
