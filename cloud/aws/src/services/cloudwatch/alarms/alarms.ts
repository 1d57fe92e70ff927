import type { Timer } from '@drover/core';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { Points } from '../math/evaluate.ts';
import { minuteMs } from '../model.ts';
import { computeQueries, pointsOf } from '../queries.ts';
import type { Series } from '../series.ts';
import type { Metrics } from '../state.ts';
import { actionsFor, carryOut, isScalingAction, stateChange } from './actions.ts';
import { AlarmHistory } from './history.ts';
import { type AlarmState, evaluationRange, judge } from './missing-data.ts';
import type { Alarm, MetricAlarm, StateRecord } from './model.ts';

/** Alarms are evaluated once a minute, a little after its end. (CloudWatch User Guide, "Alarm evaluation".) */
const evaluationOffsetMs = 10_000;

/**
 * All alarms. An alarm is looked at each minute only while there is data in its evaluation range or its state may still
 * change; otherwise it sleeps until its metric gets data, so that thousands of quiet alarms cost nothing.
 */
export class Alarms {
  readonly all = new Map<string, Alarm>();
  readonly history = new AlarmHistory();
  readonly #aws: AwsNeighbours;
  readonly #metrics: Metrics;
  readonly #awake = new Set<string>();
  readonly #unwatch = new Map<string, () => void>();
  /** The series of each alarm's metrics, the watched one first: looked up once, since watched series are never forgotten. */
  readonly #seriesOf = new WeakMap<MetricAlarm, readonly Series[]>();
  readonly #ends = new Map<number, readonly number[]>();
  #timer: Timer | undefined;

  constructor(aws: AwsNeighbours, metrics: Metrics) {
    this.#aws = aws;
    this.#metrics = metrics;
  }

  get now(): number {
    return this.#aws.engine.clock.now();
  }

  put(alarm: Alarm): void {
    const created = !this.all.has(alarm.name);
    this.#unwatch.get(alarm.name)?.();
    this.all.set(alarm.name, alarm);
    this.#note(alarm, 'ConfigurationUpdate', `Alarm "${alarm.name}" ${created ? 'created' : 'updated'}`, {});
    this.#follow(alarm);
  }

  delete(name: string): boolean {
    this.#unwatch.get(name)?.();
    this.#unwatch.delete(name);
    this.#awake.delete(name);
    return this.all.delete(name);
  }

  #follow(alarm: MetricAlarm): void {
    const minutes = (evaluationRange(alarm.evaluationPeriods) + 1) * (alarm.watched.periodSeconds / 60);
    const stops = alarm.queries.flatMap(({ metric }) => {
      if (metric === undefined) return [];
      this.#metrics.series(metric.name).keepMinutes(Math.min(minutes, 2_000));
      return [this.#metrics.watch(metric.name, () => this.#wake(alarm.name))];
    });
    this.#unwatch.set(alarm.name, () => {
      for (const stop of stops) stop();
    });
    this.#wake(alarm.name);
  }

  #wake(name: string): void {
    this.#awake.add(name);
    if (this.#timer !== undefined) return;
    const next = (Math.floor((this.now - evaluationOffsetMs) / minuteMs) + 1) * minuteMs + evaluationOffsetMs;
    this.#timer = this.#aws.engine.clock.after(next - this.now, () => this.#tick());
  }

  #tick(): void {
    this.#timer = undefined;
    this.#ends.clear();
    for (const name of [...this.#awake]) {
      const alarm = this.all.get(name);
      if (alarm === undefined || !this.#evaluate(alarm)) this.#awake.delete(name);
    }
    const [first] = this.#awake;
    if (first !== undefined) this.#wake(first);
  }

  /** Returns whether the alarm must be evaluated again in a minute. */
  #evaluate(alarm: MetricAlarm): boolean {
    const points = this.#points(alarm);
    const present = points.filter((point) => point !== undefined);
    alarm.lastValue = present.at(-1) ?? alarm.lastValue;
    const before = alarm.state.value;
    const value = judge(points, alarm, before);
    if (value !== before)
      this.#change(alarm, value, reasonFor(alarm, present, value), reasonDataFor(alarm, present, this.now));
    else this.#repeatScaling(alarm);
    return present.length > 0 || this.#repeats(alarm) || this.#awaits(alarm);
  }

  /** Data has come that no evaluation has seen, since its minute is not over. */
  #awaits(alarm: MetricAlarm): boolean {
    const end = Math.floor(this.now / minuteMs) * minuteMs;
    return this.#series(alarm).some(({ newestAt = 0 }) => newestAt >= end);
  }

  #series(alarm: MetricAlarm): readonly Series[] {
    const known = this.#seriesOf.get(alarm);
    if (known !== undefined) return known;
    const inOrder = [alarm.watched, ...alarm.queries.filter((query) => query !== alarm.watched)];
    const series = inOrder.flatMap(({ metric }) => (metric === undefined ? [] : [this.#metrics.series(metric.name)]));
    this.#seriesOf.set(alarm, series);
    return series;
  }

  /** The evaluation range, oldest first: windows that slide with the minute. */
  #points(alarm: MetricAlarm): Points {
    const periodMs = alarm.watched.periodSeconds * 1_000;
    const endsMs = this.#windowEnds(evaluationRange(alarm.evaluationPeriods), periodMs);
    const { metric } = alarm.watched;
    if (metric !== undefined) {
      const [series] = this.#series(alarm);
      return pointsOf(sameUnit(alarm, series) ? series : undefined, metric.statistic, periodMs, { endsMs });
    }
    return computeQueries(this.#metrics, alarm.queries, () => ({ endsMs }))(alarm.watched);
  }

  /** Computed once a minute for all alarms of the same kind. */
  #windowEnds(count: number, periodMs: number): readonly number[] {
    const key = count * 1e9 + periodMs;
    const known = this.#ends.get(key);
    if (known !== undefined) return known;
    const end = Math.floor(this.now / minuteMs) * minuteMs;
    const ends = Array.from({ length: count }, (_, index) => end - (count - 1 - index) * periodMs);
    this.#ends.set(key, ends);
    return ends;
  }

  #repeats(alarm: MetricAlarm): boolean {
    return alarm.actionsEnabled && actionsFor(alarm, alarm.state.value).some(isScalingAction);
  }

  /** A scaling action is invoked again each minute while the state lasts. (CloudWatch User Guide, "Alarm actions".) */
  #repeatScaling(alarm: MetricAlarm): void {
    if (!this.#repeats(alarm)) return;
    for (const action of actionsFor(alarm, alarm.state.value).filter(isScalingAction))
      carryOut(this.#aws, alarm, action, alarm.state);
  }

  #change(alarm: Alarm, value: AlarmState, reason: string, reasonData?: string): void {
    const previous = alarm.state;
    const transitionedAt = value === previous.value ? previous.transitionedAt : this.now;
    alarm.state = { value, reason, reasonData, updatedAt: this.now, transitionedAt };
    if (value === previous.value) return;
    this.#announce(alarm, previous);
    if (alarm.actionsEnabled)
      for (const action of actionsFor(alarm, value)) {
        this.#note(alarm, 'Action', `Successfully executed action ${action}`, { actionState: 'Succeeded' });
        carryOut(this.#aws, alarm, action, previous);
      }
  }

  #announce(alarm: Alarm, previous: StateRecord): void {
    const { journal } = this.#aws.engine;
    const name = `${previous.value} -> ${alarm.state.value}`;
    journal.record({ kind: 'transition', source: 'aws.cloudwatch', name, subject: alarm.name });
    const detail = stateChange(alarm, previous);
    this.#note(alarm, 'StateUpdate', `Alarm updated from ${previous.value} to ${alarm.state.value}`, detail);
    this.#aws.events.emit({
      source: 'aws.cloudwatch',
      detailType: 'CloudWatch Alarm State Change',
      detail,
      resources: [alarm.arn],
    });
  }

  #note(alarm: Alarm, kind: 'ConfigurationUpdate' | 'StateUpdate' | 'Action', summary: string, data: object): void {
    const { name: alarmName, type: alarmType } = alarm;
    this.history.add({ alarmName, alarmType, at: this.now, kind, summary, data: JSON.stringify(data) });
  }
}

/** An alarm that names a unit sees only data of that unit. (API Reference, PutMetricAlarm: Unit.) */
const sameUnit = ({ given }: MetricAlarm, series: Series | undefined) =>
  given.Unit === undefined || given.Unit === (series?.unit ?? 'None');

function reasonFor(alarm: MetricAlarm, present: readonly number[], value: AlarmState): string {
  const evaluated = present.slice(-alarm.evaluationPeriods);
  if (value === 'INSUFFICIENT_DATA')
    return `Insufficient Data: ${alarm.evaluationPeriods - evaluated.length} datapoints were unknown.`;
  const breaching = evaluated.filter((point) => alarm.breaches(point)).length;
  const shown = `${value === 'ALARM' ? breaching : evaluated.length - breaching} out of the last ${evaluated.length} datapoints [${evaluated.join(', ')}]`;
  const verb = value === 'ALARM' ? 'were' : 'were not';
  return `Threshold Crossed: ${shown} ${verb} ${alarm.comparison} (${alarm.threshold}).`;
}

const reasonDataFor = (alarm: MetricAlarm, present: readonly number[], now: number): string =>
  JSON.stringify({
    version: '1.0',
    queryDate: new Date(now).toISOString().replace('Z', '+0000'),
    statistic: alarm.given.Statistic,
    period: alarm.watched.periodSeconds,
    recentDatapoints: present.slice(-alarm.evaluationPeriods),
    threshold: alarm.threshold,
  });
