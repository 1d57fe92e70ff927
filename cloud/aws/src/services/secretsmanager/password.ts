import type { Random } from '@drover/core';
import { invalidParameter } from './model.ts';

/** Rules for a generated password; the names are those of GetRandomPassword and GenerateSecretString. */
export interface PasswordRules {
  readonly PasswordLength?: number | undefined;
  readonly ExcludeCharacters?: string | undefined;
  readonly ExcludeNumbers?: boolean | undefined;
  readonly ExcludePunctuation?: boolean | undefined;
  readonly ExcludeUppercase?: boolean | undefined;
  readonly ExcludeLowercase?: boolean | undefined;
  readonly IncludeSpace?: boolean | undefined;
  readonly RequireEachIncludedType?: boolean | undefined;
}

/** A password by the rules of GetRandomPassword (API Reference): 32 characters, every included type at least once. */
export function randomPassword(random: Random, rules: PasswordRules): string {
  const length = rules.PasswordLength ?? 32;
  const types = characterTypes(rules);
  if (length < 1 || length > 4096) throw invalidParameter('PasswordLength must be between 1 and 4096.');
  if (types.length === 0) throw invalidParameter('Every character is excluded: nothing is left for a password.');
  // Letters, digits and punctuation; a space is allowed, never required.
  const required = rules.RequireEachIncludedType === false ? [] : types.filter((type) => type !== ' ');
  if (length < required.length)
    throw invalidParameter(`PasswordLength ${length} cannot hold each of the ${required.length} included types.`);
  const letters = required.map((type) => random.pick([...type]));
  const all = [...types.join('')];
  while (letters.length < length) letters.push(random.pick(all));
  return shuffle(random, letters).join('');
}

function characterTypes(rules: PasswordRules): string[] {
  const types = [
    rules.ExcludeLowercase === true ? '' : 'abcdefghijklmnopqrstuvwxyz',
    rules.ExcludeUppercase === true ? '' : 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
    rules.ExcludeNumbers === true ? '' : '0123456789',
    rules.ExcludePunctuation === true ? '' : '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
    rules.IncludeSpace === true ? ' ' : '',
  ];
  const excluded = rules.ExcludeCharacters ?? '';
  return types.map((type) => [...type].filter((c) => !excluded.includes(c)).join('')).filter((type) => type !== '');
}

function shuffle(random: Random, letters: string[]): string[] {
  for (let last = letters.length - 1; last > 0; last--) {
    const other = random.int(0, last);
    [letters[last], letters[other]] = [letters[other]!, letters[last]!];
  }
  return letters;
}
