import { expect, it } from 'vitest';
import { leftovers } from './leftovers.ts';
import { openTarget } from './open-target.ts';
import { againstAccount, minutes, type Target } from './target.ts';

/** Costs of running a test against an account. */
export type Cost =
  | {
      /** Of real time. */
      readonly minutes: number;
      /** Number of EC2 instances (nano) that run at the same time, which cost money. @default 0 */
      readonly instances?: number;
    }
  /** Why no account can show it. */
  | { readonly embeddedOnly: string };

/** Lists of secrets lag behind. */
const listLagMs = minutes(5);

/** Cleaning up may have to wait until instances are gone. */
const cleanupMs = minutes(20);

/** A rule that must hold in the embedded cloud and in AWS alike. The title says what it costs where it costs. */
export function contract(title: string, cost: Cost, body: (target: Target) => Promise<void>): void {
  const run = async ({ onTestFinished }: { onTestFinished: (fn: () => Promise<void>, timeout?: number) => void }) => {
    const target = await openTarget();
    onTestFinished(async () => {
      const failures = await target.cleanUp();
      if (failures.length > 0) console.error(`not cleaned up after ${title}:\n${failures.join('\n')}`);
      // Others may be at work in an account: what is left there is listed once, at the end.
      if (target.embedded === undefined) return;
      await target.pass(listLagMs);
      expect(await leftovers(target.clients)).toEqual([]);
    }, cleanupMs);
    await body(target);
  };
  if (!againstAccount) it(title, run);
  else if ('embeddedOnly' in cost) it.skip(`${title} (embedded only: ${cost.embeddedOnly})`, run);
  else it.concurrent(`${title} (${price(cost)})`, { timeout: minutes(cost.minutes * 2 + 10) }, run);
}

const price = ({ minutes: time, instances = 0 }: Extract<Cost, { minutes: number }>) =>
  `about ${time} min${instances === 0 ? '' : `, ${instances} instance${instances === 1 ? '' : 's'}`}`;
