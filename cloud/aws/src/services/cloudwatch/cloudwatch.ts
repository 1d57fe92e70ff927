import type { AwsNeighbours, CloudWatchNeighbour, Tags } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { Alarms } from './alarms/alarms.ts';
import type { AlarmState } from './alarms/missing-data.ts';
import type { Dashboard } from './dashboards.ts';
import { type MetricName, minuteMs } from './model.ts';
import { alarmOperations } from './operations/alarms.ts';
import { dataOperations } from './operations/data.ts';
import { cloudWatchResources } from './resources.ts';
import { Metrics } from './state.ts';

interface AlarmSummary {
  readonly name: string;
  readonly state: AlarmState;
  readonly threshold: number;
  readonly description: string | undefined;
}

/** Amazon CloudWatch: metrics per minute, alarms, dashboards. */
export class CloudWatch implements AwsService, CloudWatchNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly #aws: AwsNeighbours;
  readonly #metrics: Metrics;
  readonly #alarms: Alarms;
  readonly #dashboards = new Map<string, Dashboard>();

  constructor(aws: AwsNeighbours) {
    const { clock } = aws.engine;
    this.#aws = aws;
    this.#metrics = new Metrics(clock);
    this.#alarms = new Alarms(aws, this.#metrics);
    const alarms = this.#alarms;
    this.operations = {
      ...dataOperations(this.#metrics, clock),
      ...alarmOperations(aws, alarms),
    };
    this.resources = cloudWatchResources(aws, alarms, this.#dashboards);
  }

  /** Every alarm with its state, for observers. */
  get alarmStates(): readonly AlarmSummary[] {
    return [...this.#alarms.all.values()].map((alarm) => ({
      name: alarm.name,
      state: alarm.state.value,
      threshold: alarm.threshold,
      description: alarm.description,
    }));
  }

  /** The lowest value of a metric in each minute of a stretch of time that has one, oldest first, for checkers. */
  lowest(metric: MetricName, fromMs: number, toMs: number): readonly number[] {
    const series = this.#metrics.find(metric);
    const found: number[] = [];
    for (let at = fromMs - (fromMs % minuteMs); series !== undefined && at < toMs; at += minuteMs) {
      const bucket = series.window(at, at + minuteMs);
      if (bucket !== undefined) found.push(bucket.min);
    }
    return found;
  }

  putMetric(namespace: string, name: string, dimensions: Tags, value: number, unit?: string): void {
    const now = this.#aws.engine.clock.now();
    this.#metrics.record({ namespace, name, dimensions }, unit, (series) => series.add(now, value));
  }
}
