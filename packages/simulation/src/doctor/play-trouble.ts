import { askFleetDoctor } from '@drover/local/truth/real-doctor';
import type { Finding } from '@drover/operator/doctor/findings';
import { FleetStage } from '@drover/stage/testing';
import { type FleetTrouble, fleetTroubles } from './fleet-troubles.ts';

export { fleetTroubles };

const minute = 60_000;
const usualMinutes = 90;
const lookEveryMinutes = 5;

export interface TroubleResult {
  readonly violations: readonly string[];
  readonly checks: number;
  /** Minutes from the remedy until doctor found it well. */
  readonly minutes: number;
  /** Alarms that were on meanwhile, without what they are about. */
  readonly alarms: readonly string[];
}

/** Of a problem a notice may stay, which says what was; a notice that was the trouble itself has nothing left to do. */
const isWell = (trouble: FleetTrouble, { verdict, fix = '' }: Finding) =>
  verdict === 'ok' || (verdict === 'notice' && (trouble.verdict === 'problem' || fix.startsWith('nothing')));

/** Causes a trouble, reads doctor, carries the printed remedy out, and waits until doctor finds it well. */
export async function playFleetTrouble(trouble: FleetTrouble): Promise<TroubleResult> {
  const stage = await FleetStage.open(trouble.inputs ?? {}, trouble.options);
  const { fleet } = stage;
  const alarms = new Set<string>();
  fleet.world.engine.journal.subscribe(({ source, name, subject = '' }) => {
    if (source === 'aws.cloudwatch' && name.endsWith('-> ALARM')) alarms.add(subject.replace(/-runners.*$/, ''));
  });
  const violations: string[] = [];
  let checks = 0;
  const expect = (holds: boolean, violation: () => string) => {
    checks += 1;
    if (!holds) violations.push(violation());
  };
  const doctor = () => fleet.drive(askFleetDoctor(fleet), 30 * minute);

  await trouble.cause(stage);
  const found = (await doctor()).find(({ check }) => check === trouble.check)!;
  const { verdict, evidence, fix = '' } = found;
  expect(verdict === trouble.verdict, () => `doctor says ${verdict} of ${trouble.check}: ${evidence}`);
  for (const alarm of trouble.alarms ?? []) expect(alarms.has(alarm), () => `the alarm ${alarm} was not on`);
  expect(trouble.fix.test(fix), () => `the fix of ${trouble.check} is: ${fix}`);
  if (violations.length > 0) return { violations, checks, minutes: 0, alarms: [...alarms] };

  // GitHub and AWS come right, as the fix asks for it or waits for it.
  fleet.world.engine.faults.clear();
  const limit = trouble.withinMinutes ?? usualMinutes;
  let minutes = 0;
  let printed = '';
  let left = [found];
  for (; left.length > 0 && minutes < limit; left = await unwell()) {
    const now = left.find(({ check }) => check === trouble.check)?.fix ?? printed;
    // Another fix than before is for another instance.
    if (now !== printed) await trouble.remedy?.(stage, now);
    printed = now;
    await stage.pass(lookEveryMinutes);
    minutes += lookEveryMinutes;
  }
  for (const { check, verdict: still, evidence: says } of left)
    expect(
      false,
      () => `${limit} minutes after the remedy of ${trouble.check} doctor says ${still} of ${check}: ${says}`,
    );
  return { violations, checks, minutes, alarms: [...alarms] };

  /** The trouble itself, and any problem that its remedy has caused. */
  async function unwell(): Promise<Finding[]> {
    checks += 1;
    const all = await doctor();
    return all.filter((one) => (one.check === trouble.check ? !isWell(trouble, one) : one.verdict === 'problem'));
  }
}
