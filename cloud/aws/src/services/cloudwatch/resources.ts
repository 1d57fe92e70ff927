import type { PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import type { ArnScope } from '../../account/arn.ts';
import { freeName } from '../../account/errors.ts';
import type { ResourceProperties, ResourceProviders, ResourceRequest } from '../../account/service.ts';
import type { Alarms } from './alarms/alarms.ts';
import { type Alarm, readAlarm } from './alarms/model.ts';
import { type Dashboard, putDashboard } from './dashboards.ts';

/** The resource types of CloudWatch that templates may use. */
export const cloudWatchResources = (
  scope: ArnScope,
  alarms: Alarms,
  dashboards: Map<string, Dashboard>,
): ResourceProviders => {
  const state = (alarm: Alarm) => ({ physicalId: alarm.name, attributes: { Arn: alarm.arn } });
  const freeAlarmName = ({ type, properties, generateName }: ResourceRequest) => {
    const name = properties.AlarmName ?? generateName();
    return freeName(type, name, alarms.all.has(name));
  };
  const putMetricAlarm = (AlarmName: string, properties: ResourceProperties) => {
    const alarm = readAlarm(scope, { ...numbersIn(properties), AlarmName }, alarms.now, alarms.all.get(AlarmName));
    alarms.put(alarm);
    return state(alarm);
  };
  const putBoard = (name: string, properties: ResourceProperties) => {
    putDashboard(dashboards, name, properties.DashboardBody, alarms.now);
    return { physicalId: name };
  };
  return {
    'AWS::CloudWatch::Alarm': {
      create: (request) => putMetricAlarm(freeAlarmName(request), request.properties),
      update: ({ physicalId, properties }) => putMetricAlarm(physicalId, properties),
      delete: ({ physicalId }) => void alarms.delete(physicalId),
    },
    'AWS::CloudWatch::Dashboard': {
      create: ({ type, properties, generateName }) => {
        const name = properties.DashboardName ?? generateName();
        return putBoard(freeName(type, name, dashboards.has(name)), properties);
      },
      update: ({ physicalId, properties }) => putBoard(physicalId, properties),
      delete: ({ physicalId }) => void dashboards.delete(physicalId),
    },
  };
};

/** Templates may write numbers as text. */
function numbersIn(properties: ResourceProperties): PutMetricAlarmCommandInput {
  const names = ['Period', 'EvaluationPeriods', 'DatapointsToAlarm', 'Threshold'];
  const given = names.filter((name) => properties[name] !== undefined).map((name) => [name, Number(properties[name])]);
  const ActionsEnabled = properties.ActionsEnabled === undefined ? true : String(properties.ActionsEnabled) === 'true';
  return { ...properties, ...Object.fromEntries(given), ActionsEnabled } as PutMetricAlarmCommandInput;
}
