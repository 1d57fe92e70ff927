import type {
  ListRulesCommandInput,
  PutRuleCommandInput,
  PutTargetsCommandInput,
  RemoveTargetsCommandInput,
} from '@aws-sdk/client-eventbridge';
import { pageOf } from '../../../account/paging.ts';
import type { Operations } from '../../../account/service.ts';
import type { Bus } from '../bus.ts';
import { validation } from '../errors.ts';
import { defaultBus, type Rule } from '../model.ts';
import { deleteRule, putRule, putTargets, requireDefaultBus } from '../state.ts';

type Named = { Name?: string | undefined; Rule?: string | undefined };

const badToken = () => validation('Parameter NextToken is not valid.');
const next = (token: string | undefined) => (token === undefined ? {} : { NextToken: token });

/** Rules and their targets. */
export const ruleOperations = (bus: Bus): Operations => {
  const ask = (action: string) => (input: Named) => [
    { action: `events:${action}`, resource: bus.ruleArn(input.Name ?? input.Rule ?? '') },
  ];
  return {
    PutRule: {
      permissions: ask('PutRule'),
      run: (input: PutRuleCommandInput) => ({ RuleArn: putRule(bus, input).arn }),
    },
    ListRules: {
      permissions: () => [{ action: 'events:ListRules', resource: '*' }],
      run: (input: ListRulesCommandInput) => {
        requireDefaultBus(input.EventBusName);
        const all = [...bus.rules.values()].filter(({ name }) => name.startsWith(input.NamePrefix ?? ''));
        all.sort((a, b) => (a.name < b.name ? -1 : 1));
        const page = pageOf(all, input.NextToken, input.Limit ?? 100, badToken);
        return { Rules: page.items.map(describe), ...next(page.nextToken) };
      },
    },
    PutTargets: {
      permissions: ask('PutTargets'),
      run: (input: PutTargetsCommandInput) => {
        putTargets(bus.rule(input.Rule), (input.Targets ?? []) as never);
        return { FailedEntryCount: 0, FailedEntries: [] };
      },
    },
    RemoveTargets: {
      permissions: ask('RemoveTargets'),
      run: (input: RemoveTargetsCommandInput) => {
        const { targets } = bus.rule(input.Rule);
        for (const id of input.Ids ?? []) targets.delete(id);
        return { FailedEntryCount: 0, FailedEntries: [] };
      },
    },
    DeleteRule: {
      permissions: ask('DeleteRule'),
      run: (input: Named) => {
        deleteRule(bus, input.Name);
        return {};
      },
    },
  };
};

function describe(rule: Rule) {
  const optional = {
    Description: rule.description,
    EventPattern: rule.eventPattern,
    ScheduleExpression: rule.scheduleExpression,
    RoleArn: rule.roleArn,
  };
  return {
    Name: rule.name,
    Arn: rule.arn,
    State: rule.state,
    EventBusName: defaultBus,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}
