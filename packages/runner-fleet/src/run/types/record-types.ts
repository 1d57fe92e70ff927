import { defaultType } from '@drover/core/names/runner-fleet';
import { apartFigures, fleetFigures, type TypeFigures } from '../../decide/types/fleet-figures.ts';
import type { TypeSignal, TypeSignals } from '../../model/memory.ts';
import type { RunnerType } from '../../model/types.ts';
import type { Metrics } from '../../ports.ts';
import {
  type DemandMetricPorts,
  type GroupMetricPorts,
  publish,
  readDemand,
  sayDemand,
} from '../jobs/record-demand.ts';
import { withSignal } from '../jobs/take-lease.ts';
import { eachType, type TypeWork, unknownTypes } from './each-type.ts';

export interface RecordTypesPorts {
  find(): Promise<readonly RunnerType[]>;
  demand(type: RunnerType): GroupMetricPorts;
  /** Of the type's own group. */
  metrics(type: RunnerType): Metrics;
  /** Reads what is known of the default type, whose group may be missing. */
  quietly(run: () => Promise<void>): Promise<void>;
}

/** Publishes the worst of all types as the figures of the fleet, and the jobs of each type that has some. A type that cannot be read hides no other. */
export async function recordTypes(ports: DemandMetricPorts, types: RecordTypesPorts): Promise<void> {
  const { clock, memory } = ports;
  const signals: TypeSignals = (await memory.read()).types ?? {};
  let ofDefault: TypeFigures | undefined;
  const others: TypeFigures[] = [];
  const readDefault = () =>
    types.quietly(async () => {
      const read = await readDemand(ports);
      sayDemand(ports, read);
      ofDefault = { ...read, signalAgeSeconds: ageSince(read.jobs?.statisticsAt, clock.now()) };
    });
  const readType = async (type: RunnerType) => {
    const ofType = types.demand(type);
    const signal = signals[type.name];
    const read = await readDemand(ofType, (jobs) => withSignal(jobs, signal));
    // A line a minute of each type would be billed, and all of its numbers are zero.
    if (signal?.resting === undefined) sayDemand(ofType, read);
    const newest = read.jobs?.statisticsAt ?? signal?.since;
    const figures = { ...read, signalAgeSeconds: read.group.maxSize === 0 ? undefined : ageSince(newest, clock.now()) };
    others.push(figures);
    const own = apartFigures(figures);
    if (own !== undefined) await types.metrics(type).put(own);
  };
  const worksOf = (found: readonly RunnerType[]): TypeWork[] =>
    found.map((type) => ({ type: type.name, run: () => readType(type) }));
  const works = await types.find().then(worksOf, (error: unknown) => [unknownTypes(error)]);
  try {
    await eachType(ports.log, [{ type: defaultType, run: readDefault }, ...works]);
  } finally {
    if (ofDefault !== undefined || others.length > 0) {
      const groups = [...(ofDefault === undefined ? [] : [ofDefault]), ...others].map(({ group }) => group);
      await publish(ports, fleetFigures(ofDefault, others), groups);
    }
  }
}

const ageSince = (at: TypeSignal['statisticsAt'], now: number) =>
  at === undefined ? undefined : Math.round((now - at) / 1000);
