import type {
  PutFunctionConcurrencyCommandInput,
  PutFunctionEventInvokeConfigCommandInput,
} from '@aws-sdk/client-lambda';
import { requireModelled } from '../../../account/modelled.ts';
import type { Operations } from '../../../account/service.ts';
import { invalidValue } from '../errors.ts';
import { defaultInvokeConfig } from '../invocation/async-queue.ts';
import type { Concurrency } from '../invocation/concurrency.ts';
import { type EventInvokeConfig, latest } from '../model.ts';
import type { Functions, Selected } from '../state.ts';
import { onFunction } from './functions.ts';

type Id = { FunctionName?: string; Qualifier?: string };

/** Concurrency, retries of asynchronous events, and loop detection. */
export const controlOperations = (functions: Functions, concurrency: Concurrency, now: () => number): Operations => {
  const ask = (action: string) => (input: Id) => [onFunction(functions, action, input.FunctionName)];
  const update = (input: PutFunctionEventInvokeConfigCommandInput, before: EventInvokeConfig) => {
    const selected = functions.select(input.FunctionName, input.Qualifier);
    const config = invokeConfig(input, before, now());
    selected.fn.eventInvokeConfig = config;
    return describeInvokeConfig(selected, config);
  };
  return {
    PutFunctionConcurrency: {
      permissions: ask('PutFunctionConcurrency'),
      run: (input: PutFunctionConcurrencyCommandInput) => {
        concurrency.reserve(functions.get(input.FunctionName), input.ReservedConcurrentExecutions ?? 0);
        return { ReservedConcurrentExecutions: input.ReservedConcurrentExecutions };
      },
    },
    GetFunctionConcurrency: {
      permissions: ask('GetFunctionConcurrency'),
      run: (input: Id) => {
        const { reservedConcurrency } = functions.get(input.FunctionName);
        return reservedConcurrency === undefined ? {} : { ReservedConcurrentExecutions: reservedConcurrency };
      },
    },
    DeleteFunctionConcurrency: {
      permissions: ask('DeleteFunctionConcurrency'),
      run: (input: Id) => {
        functions.get(input.FunctionName).reservedConcurrency = undefined;
        return {};
      },
    },
    PutFunctionEventInvokeConfig: {
      permissions: ask('PutFunctionEventInvokeConfig'),
      run: (input: PutFunctionEventInvokeConfigCommandInput) => update(input, defaultInvokeConfig),
    },
  };
};

/** Between 0 and 2 retries, between a minute and six hours. (API Reference, PutFunctionEventInvokeConfig.) */
export function invokeConfig(
  input: Pick<
    PutFunctionEventInvokeConfigCommandInput,
    'MaximumRetryAttempts' | 'MaximumEventAgeInSeconds' | 'DestinationConfig'
  >,
  before: EventInvokeConfig,
  now: number,
): EventInvokeConfig {
  const retries = input.MaximumRetryAttempts ?? before.maximumRetryAttempts;
  const age = input.MaximumEventAgeInSeconds ?? before.maximumEventAgeSeconds;
  if (retries < 0 || retries > 2) throw invalidValue(`MaximumRetryAttempts is ${retries}; it must be between 0 and 2`);
  if (age < 60 || age > 21_600)
    throw invalidValue(`MaximumEventAgeInSeconds is ${age}; it must be between 60 and 21600`);
  const destinations = input.DestinationConfig;
  requireModelled('event invoke configurations', destinations ?? {}, ['OnFailure']);
  if (destinations?.OnFailure?.Destination?.includes(':lambda:') === false)
    throw invalidValue(
      `the embedded cloud models functions as destinations, not ${destinations.OnFailure.Destination}`,
    );
  return {
    maximumRetryAttempts: Number(retries),
    maximumEventAgeSeconds: Number(age),
    onFailure: destinations === undefined ? before.onFailure : destinations.OnFailure?.Destination,
    modifiedAt: now,
  };
}

const describeInvokeConfig = ({ fn, qualifier }: Selected, config: EventInvokeConfig) => ({
  FunctionArn: `${fn.arn}:${qualifier ?? latest}`,
  LastModified: new Date(config.modifiedAt),
  MaximumRetryAttempts: config.maximumRetryAttempts,
  MaximumEventAgeInSeconds: config.maximumEventAgeSeconds,
  DestinationConfig: {
    OnFailure: config.onFailure === undefined ? {} : { Destination: config.onFailure },
  },
});
