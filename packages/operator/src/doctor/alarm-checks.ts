import { listed } from '../render/short.ts';
import type { AlarmFacts } from './alarm-facts.ts';
import { type Finding, notice, type Outcome, ok, problem } from './findings.ts';

/** A doctor's knowledge of an alarm. */
export interface AlarmMeaning {
  /** Checks that say what is behind it, when one of them finds something. */
  readonly checks: readonly string[];
  /** The remedy when none of them has one. */
  readonly fix: string;
  /** It is on in normal operation, too. */
  readonly harmless?: boolean;
}

/** Alarms that are on and that no finding above explains: whatever they see, nothing else has said it. */
export function unexplainedAlarms(
  alarms: readonly AlarmFacts[],
  meanings: ReadonlyMap<string, AlarmMeaning>,
  before: readonly Finding[],
): Outcome {
  const on = alarms.filter((alarm) => alarm.on).map(({ name }) => name);
  if (on.length === 0) return ok('no alarm is on');
  const told = new Set(
    before.filter(({ verdict }) => verdict === 'problem' || verdict === 'notice').map(({ check }) => check),
  );
  const left = on.flatMap((name) => {
    const meaning = meanings.get(name);
    return meaning === undefined || meaning.checks.some((check) => told.has(check)) ? [] : [{ name, ...meaning }];
  });
  if (left.length === 0) return ok(`on, and explained by the other findings: ${listed(on, ', ')}`);
  const harmful = left.filter(({ harmless = false }) => !harmless);
  const shown = harmful.length > 0 ? harmful : left;
  const fixes = listed(shown.map(({ name, fix }) => `${name}: ${fix}`));
  const names = left.map(({ name }) => name);
  const judge = harmful.length > 0 ? problem : notice;
  return judge(`on: ${listed(names, ', ')}`, `${fixes} (docs/reference/alarms.md)`);
}
