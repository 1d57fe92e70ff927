import type { Finding } from '@drover/operator/doctor/findings';

/** Findings that need attention or could not be made. */
const isBad = ({ verdict }: Finding) => verdict === 'problem' || verdict === 'unknown';

const badChecks = (findings: readonly Finding[]) => new Set(findings.filter(isBad).map(({ check }) => check));

/**
 * Differences between the real command and its pure part on facts of the world; empty: they agree. Of a fleet with types there may be several
 * findings of one check, of which one is bad: the check is compared, not each of them. Pure.
 */
export function disagreements(
  command: 'fleet' | 'cluster',
  real: readonly Finding[],
  ofWorld: readonly Finding[],
): readonly string[] {
  const [inReality, inTheWorld] = [badChecks(real), badChecks(ofWorld)];
  const told = (findings: readonly Finding[], wanted: string) => {
    const ofCheck = findings.filter(({ check }) => check === wanted);
    const { verdict, evidence } = ofCheck.find(isBad) ?? ofCheck[0] ?? { verdict: 'nothing', evidence: '' };
    return `${verdict} of ${wanted} (${evidence})`;
  };
  return [...new Set(real.map(({ check }) => check))]
    .filter((check) => inReality.has(check) !== inTheWorld.has(check))
    .map(
      (check) =>
        `drover ${command} doctor says ${told(real, check)}, and on the facts of the world ${told(ofWorld, check)}`,
    );
}
