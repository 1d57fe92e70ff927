import { describe, expect, it } from 'vitest';
import { contextOf } from './context.ts';
import { compilePolicy } from './document.ts';
import { judge } from './evaluate.ts';

type Context = Readonly<Record<string, string | readonly string[]>>;

const allow = (more: object = {}) => ({ Effect: 'Allow', Action: 'x:Do', Resource: '*', ...more });
const document = (statement: object, Version = '2012-10-17') => ({ Version, Statement: [statement] });

function holds(condition: object, context: Context): boolean {
  const policy = compilePolicy(document(allow({ Condition: condition })), 'identity');
  return judge([policy], { action: 'x:do', resource: 'arn:aws:x:::y', context: contextOf(context) }) === 'allow';
}

describe('conditions', () => {
  it.each<[string, object, Context, boolean]>([
    ['text is equal', { StringEquals: { 'x:k': 'a' } }, { 'x:k': 'a' }, true],
    ['one of several values is enough', { StringEquals: { 'x:k': ['a', 'b'] } }, { 'x:k': 'b' }, true],
    ['text differs in case', { StringEquals: { 'x:k': 'A' } }, { 'x:k': 'a' }, false],
    ['case is ignored', { StringEqualsIgnoreCase: { 'x:k': 'A' } }, { 'x:k': 'a' }, true],
    ['wildcards are plain text in StringEquals', { StringEquals: { 'x:k': 'a*' } }, { 'x:k': 'ab' }, false],
    ['wildcards work in StringLike', { StringLike: { 'x:k': 'a?c*' } }, { 'x:k': 'abcd' }, true],
    ['names of keys ignore case', { StringEquals: { 'X:K': 'a' } }, { 'x:k': 'a' }, true],
    ['a missing key matches nothing', { StringEquals: { 'x:k': 'a' } }, {}, false],
    ['a missing key is different', { StringNotEquals: { 'x:k': 'a' } }, {}, true],
    ['none of several values may match', { StringNotEquals: { 'x:k': ['a', 'b'] } }, { 'x:k': 'b' }, false],
    ['IfExists holds without the key', { StringEqualsIfExists: { 'x:k': 'a' } }, {}, true],
    ['IfExists compares with the key', { StringEqualsIfExists: { 'x:k': 'a' } }, { 'x:k': 'b' }, false],
    ['every line must hold', { StringEquals: { 'x:k': 'a', 'x:l': 'b' } }, { 'x:k': 'a' }, false],
    [
      'ARNs are compared part by part',
      { ArnLike: { 'x:k': 'arn:aws:*:*:1:a/*' } },
      { 'x:k': 'arn:aws:s:r:1:a/b' },
      true,
    ],
    [
      'a wildcard stays in its part of an ARN',
      { ArnLike: { 'x:k': 'arn:aws:*:a' } },
      { 'x:k': 'arn:aws:s:r:1:a' },
      false,
    ],
    [
      'ArnEquals takes wildcards too',
      { ArnEquals: { 'x:k': 'arn:aws:s:r:1:*' } },
      { 'x:k': 'arn:aws:s:r:1:a:b' },
      true,
    ],
    ['ArnNotLike', { ArnNotLike: { 'x:k': 'arn:aws:s:r:1:*' } }, { 'x:k': 'arn:aws:s:r:2:a' }, true],
    ['Bool', { Bool: { 'x:k': 'true' } }, { 'x:k': 'True' }, true],
    ['Bool of a template', { Bool: { 'x:k': true } }, { 'x:k': 'false' }, false],
    ['numbers are compared as numbers', { NumericLessThan: { 'x:k': '10' } }, { 'x:k': '9' }, true],
    ['NumericGreaterThanEquals', { NumericGreaterThanEquals: { 'x:k': 10 } }, { 'x:k': '10.0' }, true],
    ['what is no number does not match', { NumericLessThan: { 'x:k': '10' } }, { 'x:k': 'few' }, false],
    ['dates', { DateGreaterThan: { 'x:k': '2026-01-01T00:00:00Z' } }, { 'x:k': '2026-01-01T00:00:01Z' }, true],
    ['dates as seconds', { DateLessThan: { 'x:k': '2026-01-01T00:00:00Z' } }, { 'x:k': '1000' }, true],
    ['an address in a range', { IpAddress: { 'aws:SourceIp': '10.1.0.0/16' } }, { 'aws:SourceIp': '10.1.255.1' }, true],
    ['an address outside', { NotIpAddress: { 'aws:SourceIp': '10.1.0.0/16' } }, { 'aws:SourceIp': '10.2.0.1' }, true],
    [
      'a key with parts',
      { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': 'arn:aws:logs:r:1:*' } },
      { 'kms:EncryptionContext:aws:logs:arn': 'arn:aws:logs:r:1:log-group:x' },
      true,
    ],
    ['Null true: the key is absent', { Null: { 'x:k': 'true' } }, {}, true],
    ['Null false: the key is there', { Null: { 'x:k': false } }, {}, false],
    [
      'all values are among those wanted',
      { 'ForAllValues:StringEquals': { 'aws:TagKeys': ['a', 'b'] } },
      { 'aws:TagKeys': ['a'] },
      true,
    ],
    [
      'one value is not',
      { 'ForAllValues:StringEquals': { 'aws:TagKeys': ['a'] } },
      { 'aws:TagKeys': ['a', 'b'] },
      false,
    ],
    ['no value at all', { 'ForAllValues:StringEquals': { 'aws:TagKeys': ['a'] } }, {}, true],
    ['any value is', { 'ForAnyValue:StringLike': { 'aws:TagKeys': ['a*'] } }, { 'aws:TagKeys': ['b', 'ab'] }, true],
    ['any value of none', { 'ForAnyValue:StringLike': { 'aws:TagKeys': ['*'] } }, {}, false],
    [
      'no value may be',
      { 'ForAllValues:StringNotEquals': { 'aws:TagKeys': ['a'] } },
      { 'aws:TagKeys': ['b', 'a'] },
      false,
    ],
  ])('%s', (_name, condition, context, expected) => {
    expect(holds(condition, context)).toBe(expected);
  });
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: policy variables
describe('policy variables', () => {
  const covers = (Resource: string, resource: string, context: Context, version?: string) => {
    const policy = compilePolicy(document(allow({ Resource }), version), 'identity');
    return judge([policy], { action: 'x:do', resource, context: contextOf(context) }) === 'allow';
  };

  it.each<[string, string, string, Context, boolean]>([
    ['stand for a value', 'arn:aws:x:::${aws:username}/*', 'arn:aws:x:::ann/1', { 'aws:username': 'ann' }, true],
    ['match nothing without one', 'arn:aws:x:::${aws:username}*', 'arn:aws:x:::', {}, false],
    ['have a default', "arn:aws:x:::${aws:username, 'all'}", 'arn:aws:x:::all', {}, true],
    ['know tags', 'arn:aws:x:::${aws:PrincipalTag/team}', 'arn:aws:x:::red', { 'aws:PrincipalTag/team': 'red' }, true],
    ['never bring in a wildcard', 'arn:aws:x:::${aws:username}', 'arn:aws:x:::ann', { 'aws:username': '*' }, false],
    ['escape wildcards', 'arn:aws:x:::${*}', 'arn:aws:x:::ann', {}, false],
    ['escape wildcards to themselves', 'arn:aws:x:::${*}${?}${$}', 'arn:aws:x:::*?$', {}, true],
  ])('%s', (_name, pattern, resource, context, expected) => {
    expect(covers(pattern, resource, context)).toBe(expected);
  });

  it('policy variables are plain text in policies of the old version, which is the default', () => {
    const context = { 'aws:username': 'ann' };

    expect(covers('arn:aws:x:::${aws:username}', 'arn:aws:x:::ann', context, '2008-10-17')).toBe(false);
    expect(covers('arn:aws:x:::${aws:username}', 'arn:aws:x:::${aws:username}', context, '2008-10-17')).toBe(true);
  });
});

describe('a policy document', () => {
  it.each<[string, unknown, RegExp]>([
    ['text that is no JSON', '{', /not JSON/],
    ['an unknown version', document(allow(), '2020-01-01'), /version 2020-01-01/],
    ['no statement', { Version: '2012-10-17' }, /Statement is missing/],
    ['an unknown element', document(allow({ Resources: '*' })), /unknown element Resources/],
    ['an unknown effect', document(allow({ Effect: 'Permit' })), /Effect Permit/],
    ['no action', document({ Effect: 'Allow', Resource: '*' }), /exactly one of Action and NotAction/],
    ['both actions', document(allow({ NotAction: 'x:Do' })), /exactly one of Action and NotAction/],
    ['an action without service', document(allow({ Action: 'Do' })), /action Do must be/],
    ['a resource that is no ARN', document(allow({ Resource: 'bucket' })), /resource bucket must be in ARN format/],
    ['a principal', document(allow({ Principal: '*' })), /has no Principal/],
    [
      'an unknown operator',
      document(allow({ Condition: { StringIs: { 'x:k': 'a' } } })),
      /operator StringIs is not known/,
    ],
    [
      'an unknown global key',
      document(allow({ Condition: { Bool: { 'aws:Nice': 'true' } } })),
      /aws:Nice is not modelled/,
    ],
    ['a key without form', document(allow({ Condition: { Bool: { key: 'true' } } })), /key must have the form/],
    [
      'a value that cannot be compared',
      document(allow({ Condition: { NumericEquals: { 'x:k': 'a' } } })),
      /a is not a number/,
    ],
    ['an unknown variable form', document(allow({ Resource: 'arn:aws:x:::${name}' })), /variable \$\{name\}/],
  ])('a policy document is refused for %s', (_name, given, reason) => {
    expect(() => compilePolicy(given, 'identity')).toThrow(reason);
    expect(() => compilePolicy(given, 'identity')).toThrowError(
      expect.objectContaining({ code: 'MalformedPolicyDocument' }),
    );
  });

  it('a policy document of a role must say whom it trusts and nothing about resources', () => {
    const trust = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'ec2.amazonaws.com' } };

    expect(() => compilePolicy(document(trust), 'trust')).not.toThrow();
    expect(() => compilePolicy(document({ ...trust, Resource: '*' }), 'trust')).toThrow(/has no Resource/);
    expect(() => compilePolicy(document({ ...trust, Principal: undefined }), 'trust')).toThrow(/Principal is missing/);
    expect(() => compilePolicy(document({ ...trust, Principal: { Service: 'ec2' } }), 'trust')).toThrow(
      /ec2 is not known/,
    );
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: policy variables
