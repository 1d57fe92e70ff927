import type { PutCompositeAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import type { ArnScope } from '../../../account/arn.ts';
import { validation } from '../model.ts';
import type { AlarmState } from './missing-data.ts';
import { type Alarm, anyAlarm, type CompositeAlarm } from './model.ts';

type Holds = CompositeAlarm['holds'];

/** Reads what PutCompositeAlarm was given. (API Reference, PutCompositeAlarm: AlarmRule.) */
export function readComposite(
  scope: ArnScope,
  given: PutCompositeAlarmCommandInput,
  now: number,
  before?: Alarm,
): CompositeAlarm {
  if (given.ActionsSuppressor !== undefined) throw validation('the embedded cloud does not model ActionsSuppressor');
  const tokens = tokensOf(given.AlarmRule ?? '');
  const children = new Set<string>();
  const holds = parseOr(tokens, children);
  if (tokens.length > 0) throw validation(`AlarmRule: unexpected ${tokens[0]}`);
  return {
    type: 'CompositeAlarm',
    ...anyAlarm(scope, given, now, before),
    rule: given.AlarmRule ?? '',
    children: [...children],
    holds,
  };
}

function tokensOf(rule: string): string[] {
  const tokens = rule.match(/"[^"]*"|[()]|[^\s()"]+/g) ?? [];
  if (tokens.length === 0) throw validation('AlarmRule must not be empty');
  return [...tokens];
}

function parseOr(tokens: string[], children: Set<string>): Holds {
  const options = [parseAnd(tokens, children)];
  while (tokens[0] === 'OR' && tokens.shift()) options.push(parseAnd(tokens, children));
  return (stateOf) => options.some((option) => option(stateOf));
}

function parseAnd(tokens: string[], children: Set<string>): Holds {
  const parts = [parseNot(tokens, children)];
  while (tokens[0] === 'AND' && tokens.shift()) parts.push(parseNot(tokens, children));
  return (stateOf) => parts.every((part) => part(stateOf));
}

function parseNot(tokens: string[], children: Set<string>): Holds {
  if (tokens[0] !== 'NOT') return parsePrimary(tokens, children);
  tokens.shift();
  const inner = parseNot(tokens, children);
  return (stateOf) => !inner(stateOf);
}

function parsePrimary(tokens: string[], children: Set<string>): Holds {
  const token = tokens.shift() ?? '';
  if (token === 'TRUE' || token === 'FALSE') return () => token === 'TRUE';
  if (token === '(') {
    const inner = parseOr(tokens, children);
    close(tokens);
    return inner;
  }
  if (!['ALARM', 'OK', 'INSUFFICIENT_DATA'].includes(token) || tokens.shift() !== '(')
    throw validation(`AlarmRule: unexpected ${token}`);
  const name = nameOf(tokens.shift() ?? '');
  close(tokens);
  children.add(name);
  return (stateOf) => stateOf(name) === (token as AlarmState);
}

/** Alarms are named by name or ARN. */
const nameOf = (token: string) => token.replace(/^"|"$/g, '').replace(/^arn:[^:]+:cloudwatch:[^:]*:[^:]*:alarm:/, '');

function close(tokens: string[]): void {
  if (tokens.shift() !== ')') throw validation('AlarmRule: ) is missing');
}
