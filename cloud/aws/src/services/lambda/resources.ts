import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { ResourceProperties, ResourceProvider, ResourceProviders } from '../../account/service.ts';
import { conflict } from './errors.ts';
import type { FunctionStore } from './functions/function-store.ts';
import { defaultInvokeConfig } from './invocation/async-queue.ts';
import type { Concurrency } from './invocation/concurrency.ts';
import { type LambdaFunction, latest } from './model.ts';
import { invokeConfig } from './operations/controls.ts';
import { addStatement, removeStatement } from './operations/permissions.ts';

/** The resource types of Lambda that templates may use. */
export const lambdaResources = (
  aws: AwsNeighbours,
  store: FunctionStore,
  concurrency: Concurrency,
): ResourceProviders => ({
  'AWS::Lambda::Function': functionResource(aws, store, concurrency),
  'AWS::Lambda::Permission': permissionResource(store),
  'AWS::Lambda::EventInvokeConfig': eventInvokeResource(aws, store),
});

const tagsOf = (properties: ResourceProperties): Record<string, string> =>
  Object.fromEntries(((properties.Tags ?? []) as { Key: string; Value: string }[]).map((tag) => [tag.Key, tag.Value]));

/** CloudFormation waits until the function can be invoked. */
async function settled(aws: AwsNeighbours, fn: LambdaFunction): Promise<void> {
  while (fn.state !== 'Active' || fn.lastUpdateStatus !== 'Successful') await aws.engine.clock.sleep(500);
}

function functionResource(aws: AwsNeighbours, store: FunctionStore, concurrency: Concurrency): ResourceProvider {
  const apply = async (fn: LambdaFunction, properties: ResourceProperties) => {
    fn.recursiveLoop = properties.RecursiveLoop === 'Allow' ? 'Allow' : 'Terminate';
    fn.tags = tagsOf(properties);
    if (properties.ReservedConcurrentExecutions === undefined) fn.reservedConcurrency = undefined;
    else concurrency.reserve(fn, Number(properties.ReservedConcurrentExecutions));
    await settled(aws, fn);
    return { physicalId: fn.name, attributes: { Arn: fn.arn } };
  };
  return {
    create: ({ properties, generateName }) => {
      const FunctionName = properties.FunctionName ?? generateName(64);
      return apply(store.create({ ...properties, FunctionName }, tagsOf(properties)), properties);
    },
    update: ({ physicalId, properties }) => {
      const fn = store.functions.get(physicalId);
      store.redefine(fn, properties);
      return apply(fn, properties);
    },
    delete: ({ physicalId }) => {
      const fn = store.functions.all.get(physicalId);
      if (fn !== undefined) store.delete(fn);
    },
  };
}

const permissionResource = (store: FunctionStore): ResourceProvider => ({
  create({ properties, generateName }) {
    const { fn } = store.functions.select(properties.FunctionName);
    const id = generateName();
    addStatement(fn, { ...properties, StatementId: id } as never);
    return { physicalId: id, attributes: { Id: id } };
  },
  delete({ physicalId, properties }) {
    const fn = store.functions.all.get(store.functions.parse(properties.FunctionName).name);
    if (fn !== undefined) removeStatement(fn, physicalId);
  },
});

function eventInvokeResource(aws: AwsNeighbours, store: FunctionStore): ResourceProvider {
  const put = (properties: ResourceProperties) => {
    const { fn } = store.functions.select(properties.FunctionName, properties.Qualifier);
    fn.eventInvokeConfig = invokeConfig(properties, defaultInvokeConfig, aws.engine.clock.now());
    return { physicalId: `${fn.name}|${latest}` };
  };
  return {
    create({ properties }) {
      const { fn } = store.functions.select(properties.FunctionName);
      if (fn.eventInvokeConfig !== undefined) throw conflict(`The function ${fn.arn} already has an EventInvokeConfig`);
      return put(properties);
    },
    update: ({ properties }) => put(properties),
    delete({ properties }) {
      const fn = store.functions.all.get(store.functions.parse(properties.FunctionName).name);
      if (fn !== undefined) fn.eventInvokeConfig = undefined;
    },
  };
}
