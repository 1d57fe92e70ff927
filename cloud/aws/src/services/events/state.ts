import type { PutRuleCommandInput } from '@aws-sdk/client-eventbridge';
import { AwsError } from '../../account/errors.ts';
import { requireModelled } from '../../account/modelled.ts';
import type { Bus } from './bus.ts';
import { validation } from './errors.ts';
import { defaultBus, type Rule, type Target } from './model.ts';
import { compilePattern } from './pattern.ts';
import { parseSchedule } from './schedule.ts';

/** (EventBridge User Guide, "Amazon EventBridge quotas".) */
const targetsPerRule = 5;

/** Only the default bus is modelled. */
export function requireDefaultBus(name: string | undefined): void {
  if (name === undefined || name === defaultBus || name.endsWith(':event-bus/default')) return;
  throw new AwsError(
    'ResourceNotFoundException',
    `Event bus ${name} does not exist (the embedded cloud models the default bus only).`,
  );
}

/** Makes a rule, or replaces one: what is not given is removed, targets stay. (API Reference, PutRule.) */
export function putRule(bus: Bus, input: PutRuleCommandInput): Rule {
  const name = input.Name ?? '';
  requireDefaultBus(input.EventBusName);
  if (!/^[.\-_A-Za-z0-9]{1,64}$/.test(name)) throw validation(`Rule name ${name} must be 1 to 64 of [.-_A-Za-z0-9]`);
  if (!input.EventPattern && !input.ScheduleExpression)
    throw validation('Parameter(s) EventPattern or ScheduleExpression must be specified.');
  const before = bus.rules.get(name);
  const same = before?.scheduleExpression === (input.ScheduleExpression || undefined);
  const rule: Rule = {
    name,
    arn: bus.ruleArn(name),
    description: input.Description,
    roleArn: input.RoleArn,
    state: input.State === 'DISABLED' ? 'DISABLED' : 'ENABLED',
    eventPattern: input.EventPattern || undefined,
    matches: input.EventPattern ? compilePattern(input.EventPattern) : undefined,
    scheduleExpression: input.ScheduleExpression || undefined,
    schedule:
      same && before
        ? before.schedule
        : input.ScheduleExpression
          ? parseSchedule(input.ScheduleExpression, bus.now)
          : undefined,
    timer: before?.timer,
    tags: {
      ...before?.tags,
      ...Object.fromEntries((input.Tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? ''])),
    },
    targets: before?.targets ?? new Map(),
  };
  bus.rules.set(name, rule);
  bus.reschedule(rule);
  return rule;
}

/** Adds targets, or replaces those with the same id. */
export function putTargets(rule: Rule, targets: readonly Target[]): void {
  for (const target of targets) validateTarget(target);
  const ids = new Set([...rule.targets.keys(), ...targets.map(({ Id }) => Id)]);
  if (ids.size > targetsPerRule)
    throw new AwsError(
      'LimitExceededException',
      `The requested resource exceeds the maximum number allowed: ${targetsPerRule} targets per rule.`,
    );
  for (const target of targets) rule.targets.set(target.Id, target);
}

/** Targets are functions, which get the event as it is. */
function validateTarget(target: Target): void {
  requireModelled('targets of rules', target, ['Id', 'Arn', 'RetryPolicy']);
  if (target.Arn?.split(':')[2] !== 'lambda')
    throw validation(`the embedded cloud does not model rule targets such as ${target.Arn}`);
}

/** A rule with targets cannot be deleted. (API Reference, DeleteRule.) */
export function deleteRule(bus: Bus, name: string | undefined): void {
  const rule = bus.rules.get(name ?? '');
  if (rule === undefined) return;
  if (rule.targets.size > 0) throw validation("Rule can't be deleted since it has targets.");
  rule.timer?.cancel();
  bus.rules.delete(rule.name);
}
