import type { Finding } from '@drover/operator/doctor/findings';

const usualMinutes = 90;
const lookEveryMinutes = 5;

/** A trouble of a stage, the row of doctor that names it, and its remedy. */
export interface Trouble<Stage> {
  /** The check that must find it. */
  readonly check: string;
  readonly verdict: 'problem' | 'notice';
  /** In the evidence or the fix. */
  readonly says: RegExp;
  /** From a healthy stage to the trouble. */
  cause(stage: Stage): Promise<void>;
  /** Alarms that it turns on, without the name of the fleet, function or cluster. */
  readonly alarms?: readonly string[];
  /** In the fix that doctor prints. */
  readonly fix: RegExp;
  /** Carries the printed fix out. @default what is outside, as the fix says, comes right by itself */
  readonly remedy?: (stage: Stage, fix: string) => Promise<unknown>;
  /** Most minutes from the remedy until doctor finds it well. @default 90 */
  readonly withinMinutes?: number;
}

export interface TroubleResult {
  readonly violations: readonly string[];
  readonly checks: number;
  /** Minutes from the remedy until doctor found it well. */
  readonly minutes: number;
  /** Alarms that were on meanwhile, without what they are about. */
  readonly alarms: readonly string[];
}

/** The stage of a trouble, with the operator's view of it. */
export interface Place<Stage> {
  readonly stage: Stage;
  doctor(): Promise<readonly Finding[]>;
  /** Names of the alarms that went on so far, without what they are about. */
  readonly alarms: ReadonlySet<string>;
  /** GitHub and AWS come right, as the fix asks for it or waits for it. */
  healOutside(): void;
  pass(minutes: number): Promise<void>;
}

/** Of a problem a notice may stay, which says what was; a notice that was the trouble itself has nothing left to do. */
const isWell = (trouble: Trouble<never>, { verdict, fix = '' }: Finding) =>
  verdict === 'ok' || (verdict === 'notice' && (trouble.verdict === 'problem' || fix.startsWith('nothing')));

/** Causes a trouble, reads doctor, carries the printed remedy out, and waits until doctor finds it well. */
export async function playTrouble<Stage>(trouble: Trouble<Stage>, place: Place<Stage>): Promise<TroubleResult> {
  const violations: string[] = [];
  let checks = 0;
  const expect = (holds: boolean, violation: () => string) => {
    checks += 1;
    if (!holds) violations.push(violation());
  };
  await trouble.cause(place.stage);
  const found = (await place.doctor()).find(({ check }) => check === trouble.check)!;
  const { verdict, evidence, fix = '' } = found;
  expect(verdict === trouble.verdict, () => `doctor says ${verdict} of ${trouble.check}: ${evidence}`);
  expect(trouble.says.test(`${evidence} ${fix}`), () => `of ${trouble.check} doctor says: ${evidence}`);
  expect(trouble.fix.test(fix), () => `the fix of ${trouble.check} is: ${fix}`);
  if (violations.length > 0) return { violations, checks, minutes: 0, alarms: [...place.alarms] };

  place.healOutside();
  const limit = trouble.withinMinutes ?? usualMinutes;
  let minutes = 0;
  let printed = '';
  let left = [found];
  for (; left.length > 0 && minutes < limit; left = await unwell()) {
    const now = left.find(({ check }) => check === trouble.check)?.fix ?? printed;
    // Another fix than before is for another instance.
    if (now !== printed) await trouble.remedy?.(place.stage, now);
    printed = now;
    await place.pass(lookEveryMinutes);
    minutes += lookEveryMinutes;
  }
  for (const { check, verdict: still, evidence: says } of left)
    expect(
      false,
      () => `${limit} minutes after the remedy of ${trouble.check} doctor says ${still} of ${check}: ${says}`,
    );
  // Some need longer than doctor.
  for (const alarm of trouble.alarms ?? []) expect(place.alarms.has(alarm), () => `the alarm ${alarm} was not on`);
  return { violations, checks, minutes, alarms: [...place.alarms] };

  /** The trouble itself, and any problem that its remedy has caused. */
  async function unwell(): Promise<Finding[]> {
    checks += 1;
    const all = await place.doctor();
    return all.filter((one) => (one.check === trouble.check ? !isWell(trouble, one) : one.verdict === 'problem'));
  }
}

/** Notes the alarms that go on, without what they are about. */
export function alarmsOf(
  journal: { subscribe(see: (entry: { source: string; name: string; subject?: string }) => void): unknown },
  nameOf: (alarm: string) => string,
): ReadonlySet<string> {
  const alarms = new Set<string>();
  journal.subscribe(({ source, name, subject = '' }) => {
    if (source === 'aws.cloudwatch' && name.endsWith('-> ALARM')) alarms.add(nameOf(subject));
  });
  return alarms;
}
