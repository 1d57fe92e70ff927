import { expect, it } from 'vitest';
import { simulateRolls } from '../scenarios/roll/cluster-roll.ts';

// Every call, before and after it: `npm run campaign -- --scenario cluster-roll --seeds 8`.
it('rolls in which drivers and programs die at every fourth of their calls and machines are reset are finished by the next one: every node has the software once, none is replaced', async () => {
  const { violations, deaths } = await simulateRolls({ seed: 5 });
  console.log(`${deaths.length} deaths`);

  expect(violations).toEqual([]);
  expect(deaths).toEqual(expect.arrayContaining(['Invoke']));
  expect(deaths.length).toBeGreaterThan(15);
}, 300_000);
