import { describe, expect, it } from 'vitest';
import { breakNodeUpgrades } from './broken-node-upgrades.ts';
import { findDriverCalls, oneDeathAKind, playDeath, playUpgrade, troubles, upgradePath } from './cluster-upgrade.ts';

const limits = { timeout: 300_000 };

describe('an upgrade of a search cluster under constant writes', () => {
  it('an upgrade takes 8.18 to 8.19 and on to 9.5 in place, without a copied byte', limits, async () => {
    const { violations, ends, documents, copiedBytes } = await playUpgrade({ path: upgradePath });
    expect(violations).toEqual([]);
    expect(ends.map(({ kind }) => kind)).toEqual(['upgraded', 'upgraded']);
    expect(documents).toBeGreaterThan(200);
    expect(copiedBytes).toBe(0);
  });

  it.each(Object.entries(troubles))('an upgrade ends safely with %s', limits, async (_, trouble) => {
    expect((await playUpgrade({ trouble })).violations).toEqual([]);
  });

  it.each([
    ['the half-hourly configuration would start before its package is there', 6],
    ['something else starts before its package is there', 6],
  ])('the last master, which %s, is upgraded by the first run of the driver', limits, async (what, commands) => {
    const { ends, calls } = await playUpgrade({ trouble: troubles[`the last master, which ${what}`]! });
    expect(ends.map(({ kind }) => kind)).toEqual(['upgraded']);
    expect(calls.filter((call) => call.startsWith('SendCommand'))).toHaveLength(commands);
  });

  it(
    'a node whose machine is reset at any step of its upgrade is what its files are, an hour later and after another reset',
    limits,
    async () => {
      const old = 'runs 8.18.8, files of 8.18.8';
      const upgraded = 'runs 8.19.21, files of 8.19.21';
      expect(await breakNodeUpgrades()).toEqual([
        { step: 'stopped', later: old, restarted: old },
        { step: 'told', later: old, restarted: old },
        { step: 'installed', later: upgraded, restarted: upgraded },
        { step: 'started', later: upgraded, restarted: upgraded },
      ]);
    },
  );

  it('an upgrade whose driver dies at a call of any kind goes on with --resume', limits, async () => {
    const calls = await findDriverCalls();
    // Every call, before and after it: `npm run campaign -- --scenario upgrade-cluster`; each kind: `npm run test:thorough`.
    const every = oneDeathAKind(calls);
    const cases = every.filter((_, index) => process.env.DROVER_THOROUGH === '1' || index % 2 === 0);
    const violations: string[] = [];
    for (const one of cases) violations.push(...(await playDeath(one)).violations);
    console.log(`driver of an upgrade: ${cases.length} deaths at ${calls.length} calls`);
    expect(every.length).toBeGreaterThan(15);
    expect(violations).toEqual([]);
  });
});
