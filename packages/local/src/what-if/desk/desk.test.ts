import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WhatIfRequest } from '@drover/observation/api';
import { expect, it } from 'vitest';
import { WhatIfDesk } from './desk.ts';

const request: WhatIfRequest = {
  idleTargets: [1],
  maxSizes: [2],
  modes: ['idle'],
  jobs: { kind: 'history', name: 'none.csv', text: 'no trace' },
  maxWaitSeconds: 60,
};

/** Resolves when nothing runs any more. */
async function ended(desk: WhatIfDesk): Promise<void> {
  while (desk.state().runs.some(({ state }) => state === 'running'))
    await new Promise((resolve) => setTimeout(resolve, 20));
}

it('the twenty newest results of what-if are kept with their pictures, and numbers are not used twice', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'drover-desk-')), 'what-if');
  mkdirSync(folder);
  for (let id = 4; id < 24; id++)
    writeFileSync(
      join(folder, `${id}.json`),
      JSON.stringify({ run: { id, report: {} }, picture: `<svg id="${id}"/>` }),
    );
  const desk = new WhatIfDesk({ folder, inputs: () => ({ scaling_mode: 'idle' }) });
  expect(desk.picture(23)).toBe('<svg id="23"/>');
  expect(desk.run(23)).toEqual({ id: 23, report: {} });

  expect(desk.start(request)).toMatchObject({
    id: 24,
    state: 'running',
    asked: { idleTargets: [1], jobs: { kind: 'history', name: 'none.csv' } },
  });
  expect(JSON.stringify(desk.run(24))).not.toContain('no trace');
  expect(() => desk.start(request)).toThrow('another question is running');
  await ended(desk);

  expect(desk.run(24)).toMatchObject({
    state: 'failed',
    problem: expect.stringContaining("'no trace' is not the heading"),
  });
  expect(desk.picture(24)).toBeUndefined();
  const { runs } = desk.state();
  expect(runs.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => 24 - index));
  expect(runs.some(({ report }) => report !== undefined)).toBe(false);
  expect(readdirSync(folder)).toHaveLength(20);
}, 60_000);
