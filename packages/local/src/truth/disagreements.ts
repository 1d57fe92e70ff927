import type { Finding } from '@drover/operator/doctor/findings';

/** Findings that need attention or could not be made. */
const isBad = ({ verdict }: Finding) => verdict === 'problem' || verdict === 'unknown';

/** Differences between the real command and its pure part on facts of the world; empty: they agree. Pure. */
export function disagreements(
  command: 'fleet' | 'cluster',
  real: readonly Finding[],
  ofWorld: readonly Finding[],
): readonly string[] {
  const bad = new Set(ofWorld.filter(isBad).map(({ check }) => check));
  return real
    .filter((finding) => isBad(finding) !== bad.has(finding.check))
    .map(({ check, verdict, evidence }) => {
      const other = ofWorld.find((finding) => finding.check === check);
      return `drover ${command} doctor says ${verdict} of ${check} (${evidence}), and on the facts of the world ${other?.verdict ?? 'nothing'} (${other?.evidence ?? ''})`;
    });
}
