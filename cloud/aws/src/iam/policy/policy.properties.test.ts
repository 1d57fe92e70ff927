import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextOf } from './context.ts';
import { compilePolicy } from './document.ts';
import { judge } from './evaluate.ts';
import { pattern } from './wildcard.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/', '.', '\\', '(', '\n'), maxLength: 12 });
const patternText = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/', '.', '*', '?', '('), maxLength: 12 });

/** Another way to say what a pattern means. */
const asRegExp = (glob: string) =>
  new RegExp(
    `^${glob
      .replaceAll(/[.\\()/]/g, '\\$&')
      .replaceAll('*', '[^]*')
      .replaceAll('?', '[^]')}$`,
    'u',
  );

describe('wildcards', () => {
  it('match as the equivalent regular expression does', () => {
    fc.assert(
      fc.property(patternText, text, (glob, value) => {
        expect(pattern(glob).matches(value)).toBe(asRegExp(glob).test(value));
      }),
      { numRuns: 3_000 },
    );
  });

  it('match every text from which they were made', () => {
    const made = fc.array(fc.tuple(fc.constantFrom('*', '?', ''), text), { maxLength: 6 });
    fc.assert(
      fc.property(made, fc.infiniteStream(text), (parts, fillers) => {
        const filler = () => fillers.next().value ?? '';
        const glob = parts.map(([wildcard, literal]) => wildcard + literal).join('');
        const value = parts
          .map(([wildcard, literal]) => (wildcard === '*' ? filler() : wildcard === '?' ? 'a' : '') + literal)
          .join('');
        expect(pattern(glob).matches(value)).toBe(true);
      }),
    );
  });

  it('wildcards need no exponential time', () => {
    const glob = `${'*a'.repeat(30)}b`;

    expect(pattern(glob).matches('a'.repeat(3_000))).toBe(false);
  });
});

describe('judging', () => {
  const action = fc.constantFrom('s3:GetObject', 's3:PutObject', 'ec2:RunInstances');
  const resource = fc.constantFrom('arn:aws:s3:::one', 'arn:aws:s3:::two', 'arn:aws:s3:::one/two');
  const actionPattern = fc.constantFrom('s3:GetObject', 's3:*', '*', 'S3:get?bject', 'ec2:Run*');
  const resourcePattern = fc.constantFrom('*', 'arn:aws:s3:::one', 'arn:aws:s3:::one*', 'arn:aws:s3:::t?o');
  const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 2 });
  const statement = fc
    .tuple(fc.constantFrom('Allow', 'Deny'), fc.boolean(), some(actionPattern), fc.boolean(), some(resourcePattern))
    .map(([Effect, notActions, actions, notResources, resources]) => ({
      Effect,
      [notActions ? 'NotAction' : 'Action']: actions,
      [notResources ? 'NotResource' : 'Resource']: resources,
    }));
  const statements = fc.array(statement, { minLength: 1, maxLength: 6 });
  const question = fc.record({ action, resource });
  const verdict = (list: readonly object[], asked: { action: string; resource: string }) =>
    judge([compilePolicy({ Version: '2012-10-17', Statement: list }, 'identity')], {
      action: asked.action.toLowerCase(),
      resource: asked.resource,
      context: contextOf({}),
    });

  it('says deny exactly when some deny applies, and allow exactly when none does and some allow applies', () => {
    fc.assert(
      fc.property(statements, question, (list, asked) => {
        const alone = list.map((one) => verdict([one], asked));
        const expected = alone.includes('deny') ? 'deny' : alone.includes('allow') ? 'allow' : 'none';
        expect(verdict(list, asked)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('judging does not depend on the order of statements', () => {
    fc.assert(
      fc.property(statements, question, (list, asked) => {
        expect(verdict(list.toReversed(), asked)).toBe(verdict(list, asked));
      }),
    );
  });

  it('one more deny in a policy never allows what was denied', () => {
    fc.assert(
      fc.property(statements, statement, question, (list, more, asked) => {
        const denied = { ...more, Effect: 'Deny' };
        if (verdict(list, asked) !== 'allow') expect(verdict([...list, denied], asked)).not.toBe('allow');
      }),
    );
  });
});
