import { describe, expect, it } from 'vitest';
import { networkWords, platformWords } from './failure-words.ts';

describe('words of a failure', () => {
  it.each([
    ['{"message":"Not Found","documentation_url":"https://docs.example"}', 'Not Found - https://docs.example'],
    ['{"message":"Invalid","errors":[{"field":"labels"},"x"]}', 'Invalid: {"field":"labels"}, "x"'],
    ['{"error":"other"}', '{"error":"other"}'],
    ['null', 'null'],
    ['<html>', '<html>'],
  ])("the platform's own words are taken from a failure: %s", (text, words) => {
    expect(platformWords(text)).toBe(words);
  });

  it.each([
    [new Error('no response within 10 s'), 'no response within 10 s'],
    [new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND') }), 'getaddrinfo ENOTFOUND'],
    [Object.assign(new Error(''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new Error(''), 'unknown network error'],
  ])('a failure without a response has the words of the network: %s', (error, words) => {
    expect(networkWords(error)).toBe(words);
  });
});
