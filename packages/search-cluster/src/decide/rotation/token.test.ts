import { expect, it } from 'vitest';
import { decideToken, nameInToken, type TokenFacts, tokenName } from './token.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.UTC(2026, 5, 1);
const old = tokenName(now - 31 * day);
const fresh = tokenName(now - 2 * hour);
const v = (name: string, letsIn = true) => ({ id: `v-${name}`, name, letsIn });
const use = (name: string, label = 'USED-BY-ui') => ({ label, versionId: `v-${name}`, name });
const base: TokenFacts = { current: v(old), pending: undefined, uses: [use(old)], names: [old], everyDays: 30 };

it.each<[string, Partial<TokenFacts>, string]>([
  ['the secret is empty', { current: undefined, uses: [], names: [] }, 'create'],
  ['the current one lets in no more', { current: v(old, false) }, 'create'],
  ['it is old enough', {}, 'create'],
  ['it is old, and there is no rotation', { everyDays: undefined }, 'none'],
  ['it is younger', { current: v(fresh), uses: [use(fresh)], names: [fresh] }, 'none'],
  ['it is old, but no web UI has said that it has it', { uses: [] }, 'none'],
  ['a run died before it had promoted the new one', { pending: v(fresh) }, 'promote'],
  ['a run died within its promotion', { current: v(fresh), pending: v(fresh) }, 'promote'],
  ['the current one is refused, and the pending one works', { current: v(old, false), pending: v(fresh) }, 'promote'],
  ['the pending one was deleted', { pending: v(fresh, false), everyDays: undefined }, 'none'],
  ['no web UI has the new one yet', { current: v(fresh), names: [old, fresh] }, 'none'],
  ['the web UI has the new one', { current: v(fresh), uses: [use(fresh)], names: [old, fresh] }, `delete ${old}`],
  [
    'one of two web UIs still has the old one',
    { current: v(fresh), uses: [use(fresh), use(old, 'USED-BY-other')], names: [old, fresh] },
    'none',
  ],
  [
    'a run died after it had made a token, which no secret has',
    { names: [old, fresh], everyDays: undefined },
    `delete ${fresh}`,
  ],
  ['another master made a token a moment ago', { names: [old, tokenName(now - 1000)] }, 'none'],
  ['a person made one', { names: [old, 'by-hand'], everyDays: undefined }, 'none'],
  [
    'the new one is of this minute',
    { current: v(tokenName(now)), uses: [use(tokenName(now))], names: [old, tokenName(now)] },
    'none',
  ],
])("the next step with Kibana's tokens, when %s", (_title, facts, expected) => {
  const step = decideToken({ ...base, ...facts }, now);
  expect(step.kind === 'delete' ? `delete ${step.name}` : step.kind).toBe(expected);
});

it('the name of a token is read from its value', () => {
  const value = Buffer.concat([Buffer.from([0, 1, 0, 1]), Buffer.from('elastic/kibana/drover-7:secret')]);
  expect(nameInToken(value.toString('base64'))).toBe('drover-7');
  expect(nameInToken('by hand')).toBeUndefined();
});
