import { AwsError } from '../../account/errors.ts';

/** The identity of a metric: namespace, name and all its dimensions. */
export interface MetricName {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

export const minuteMs = 60_000;

export const invalidValue = (message: string) => new AwsError('InvalidParameterValue', message);
export const invalidCombination = (message: string) => new AwsError('InvalidParameterCombination', message);
export const validation = (message: string) => new AwsError('ValidationError', message);

/** Two metrics are the same when every dimension is. (CloudWatch User Guide, "Metrics concepts": dimensions.) */
export const metricKey = ({ namespace, name, dimensions }: MetricName): string => {
  const names = Object.keys(dimensions);
  if (names.length === 0) return `${namespace}\u0000${name}`;
  const pairs = names.sort().map((key) => `${key}=${dimensions[key]}`);
  return [namespace, name, ...pairs].join('\u0000');
};

export const dimensionRecord = (
  dimensions: readonly { Name?: string | undefined; Value?: string | undefined }[] | undefined,
): Record<string, string> => Object.fromEntries((dimensions ?? []).map(({ Name, Value }) => [Name ?? '', Value ?? '']));

export const dimensionList = (dimensions: Readonly<Record<string, string>>) =>
  Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
