import { describe, expect, it } from 'vitest';
import { pageCases, playPage } from './play.ts';

describe('the page', () => {
  it.each(pageCases.filter((_, i) => process.env.CASE === undefined || String(i) === process.env.CASE))(
    '$tool.name $mode',
    async (one) => {
      const t = process.cpuUsage();
      const { violations, checks } = await playPage(one);
      console.log(one.tool.name, one.mode, checks, process.cpuUsage(t).user / 1e6);
      expect(violations).toEqual([]);
    },
    600_000,
  );
});
