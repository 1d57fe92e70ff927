import { freeName } from '../../account/errors.ts';
import type { ResourceProperties, ResourceProviders } from '../../account/service.ts';
import type { Bus } from './bus.ts';
import { deleteRule, putRule, putTargets } from './state.ts';

/** The resource types of EventBridge that templates may use. */
export const eventResources = (bus: Bus): ResourceProviders => {
  const put = (name: string, properties: ResourceProperties) => {
    const rule = putRule(bus, {
      Name: name,
      EventBusName: properties.EventBusName,
      Description: properties.Description,
      RoleArn: properties.RoleArn,
      State: properties.State,
      ScheduleExpression: properties.ScheduleExpression,
      EventPattern: patternText(properties.EventPattern),
    });
    rule.targets.clear();
    putTargets(rule, properties.Targets ?? []);
    return { physicalId: name, attributes: { Arn: rule.arn } };
  };
  return {
    'AWS::Events::Rule': {
      create: ({ type, properties, generateName }) => {
        const name = properties.Name ?? generateName(64);
        return put(freeName(type, name, bus.rules.has(name)), properties);
      },
      update: ({ physicalId, properties }) => put(physicalId, properties),
      delete: ({ physicalId }) => {
        bus.rules.get(physicalId)?.targets.clear();
        deleteRule(bus, physicalId);
      },
    },
  };
};

const patternText = (pattern: unknown) =>
  pattern === undefined || typeof pattern === 'string' ? pattern : JSON.stringify(pattern);
