import { SeededRandom } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { type DrawnInputs, drawInputs } from '../draw-inputs.ts';
import { drawOptions, otherMode, redrawOptions, withoutFurtherGroups } from './draw-options.ts';

const drawn = Array.from({ length: 200 }, (_, seed): DrawnInputs => {
  const random = new SeededRandom(seed).fork('history');
  return drawOptions(random.fork('options'), drawInputs(random.fork('inputs')));
});
const fleets = drawn.map(({ fleet }) => fleet);

describe('inputs of histories that are off by default', () => {
  it.each([
    'adaptiveWindows',
    'onDemandFallback',
    'rerunInterruptedJobs',
    'types',
    'bakedImage',
    'instanceRequirements',
  ] as const)('some fleets have %s, and others do not', (key) => {
    const count = fleets.filter((fleet) => fleet[key] !== undefined).length;
    expect(count).toBeGreaterThan(10);
    expect(count).toBeLessThan(150);
  });

  it.each(['dataVolumeMaxSize', 'nodeGroups', 'passwordRotationDays', 'snapshotReplicaBucket'] as const)(
    'some clusters have %s, and others do not',
    (key) => {
      const count = drawn.filter(({ cluster }) => cluster[key] !== undefined).length;
      expect(count).toBeGreaterThan(30);
      expect(count).toBeLessThan(120);
    },
  );

  it('what needs jobs mode is in no fleet of idle mode, also after a change of the mode', () => {
    const ofJobs = ['adaptiveWindows', 'onDemandFallback', 'rerunInterruptedJobs', 'types'];
    const idle = fleets.map((fleet) => (fleet.scalingMode === 'idle' ? fleet : otherMode(fleet)));
    expect(idle.flatMap((fleet) => Object.keys(fleet).filter((key) => ofJobs.includes(key)))).toEqual([]);
  });

  it('a fleet with a fallback has no minimum, and one with requirements no list of types, also when one input is turned over', () => {
    const random = new SeededRandom('turned over');
    const turned = fleets.flatMap((fleet) => redrawOptions(random, fleet) ?? []);
    const wrong = [...fleets, ...turned].filter(
      ({ onDemandFallback, asgMinSize, instanceRequirements, instanceTypes }) =>
        (onDemandFallback === true && asgMinSize !== 0) ||
        (instanceRequirements !== undefined && instanceTypes !== undefined),
    );
    expect(wrong).toEqual([]);
  });

  it('before the mode is changed a fleet with types or a fallback is deployed without them, once', () => {
    const fewer = fleets.flatMap((fleet) => withoutFurtherGroups(fleet) ?? []);
    expect(fewer.length).toBeGreaterThan(20);
    expect(fewer.flatMap((fleet) => withoutFurtherGroups(fleet) ?? [])).toEqual([]);
  });
});
