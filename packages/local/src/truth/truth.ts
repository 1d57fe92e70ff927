import type { Finding } from '@drover/operator/doctor/findings';

const minute = 60_000;
/** Whatever has lasted this long counts, and doctor has this much more time to name it. */
const [countsAfterMs, namedWithinMs] = [10 * minute, 10 * minute];

/** Something that is broken or in danger, that a read can show, with the checks of doctor that may name it. */
export interface Danger {
  readonly id: string;
  readonly checks: readonly string[];
}

/** Whether doctor names a danger: as a problem, with a remedy. Pure. */
const names = (findings: readonly Finding[], { checks }: Danger): boolean =>
  findings.some(({ check, verdict, fix }) => verdict === 'problem' && fix !== undefined && checks.includes(check));

/** False alarms of doctor: a problem, or something that it could not examine, although nothing is wrong. Pure. */
const falseAlarms = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ verdict }) => verdict === 'problem' || verdict === 'unknown');

/** After this time without a fault or an act doctor reports nothing. */
const quietMs = 60 * minute;

/** State of the world when doctor reads it. */
export interface Look {
  readonly now: number;
  readonly findings: readonly Finding[];
  readonly dangers: readonly Danger[];
  /** The last moment of a fault or an act. */
  readonly troubledAt: number;
}

/** The account of the truth: doctor names what is in danger, and nothing in a quiet hour. Each untruth is reported once, until it is over. */
export class TruthAccount {
  /** How often doctor was asked, and how often in a quiet hour. */
  asked = 0;
  quiet = 0;
  readonly #since = new Map<string, number>();
  #told = new Set<string>();
  #inDangerAt = Number.NEGATIVE_INFINITY;

  /** Findings that doctor lacks, and findings that it should not have. */
  note({ now, findings, dangers, troubledAt }: Look): readonly string[] {
    this.asked += 1;
    if (dangers.length > 0) this.#inDangerAt = now;
    const isQuiet = now - Math.max(troubledAt, this.#inDangerAt) >= quietMs;
    if (isQuiet) this.quiet += 1;
    const untruths = new Map([
      ...this.#unnamed(dangers, findings, now),
      ...(isQuiet ? falseAlarms(findings) : []).map(
        ({ check, evidence }) => [check, `doctor says ${check} in a quiet hour: ${evidence}`] as const,
      ),
    ]);
    const fresh = [...untruths].filter(([key]) => !this.#told.has(key)).map(([, text]) => text);
    this.#told = new Set(untruths.keys());
    return fresh.map((text) => `${text}, at ${new Date(now).toISOString()}`);
  }

  /** Dangers of this moment that have lasted too long for doctor not to name them. */
  #unnamed(dangers: readonly Danger[], findings: readonly Finding[], now: number): (readonly [string, string])[] {
    const ids = new Set(dangers.map(({ id }) => id));
    for (const id of [...this.#since.keys()]) if (!ids.has(id)) this.#since.delete(id);
    return dangers.flatMap((danger) => {
      // A danger that doctor named until now has its time again: it has become another one, such as that of a new launch
      // after one that hung.
      const since = names(findings, danger) ? now : (this.#since.get(danger.id) ?? now);
      this.#since.set(danger.id, since);
      if (now - since < countsAfterMs + namedWithinMs) return [];
      const wanted = danger.checks.join(', ');
      return [[danger.id, `${danger.id} since ${new Date(since).toISOString()}, and doctor names none of ${wanted}`]];
    });
  }
}
