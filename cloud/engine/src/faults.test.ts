import type { VirtualClock } from '@drover/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { createEngine, type Engine } from './engine.ts';
import type { FaultRule } from './faults.ts';

const point = { service: 'ssm', operation: 'SendCommand', subject: 'assumed-role/deregistration' };
const error = { kind: 'error' } as const;
let engine: Engine;

beforeEach(() => {
  engine = createEngine({ seed: 'faults' });
});

const strikes = (times: number) =>
  Array.from({ length: times }, () => engine.faults.strike(point, ['error', 'timeout']) !== undefined);

describe('a fault rule', () => {
  it.each<[string, boolean, Partial<FaultRule>]>([
    ['without conditions', true, {}],
    ['for the service', true, { service: 'ssm' }],
    ['for another service', false, { service: 'ec2' }],
    ['for the operation', true, { operation: 'SendCommand' }],
    ['for another operation', false, { operation: 'Send' }],
    ['with a pattern that matches the whole operation', true, { operation: /Send.*/ }],
    ['with a pattern that matches a part of the operation', false, { operation: /Send/ }],
    ['for a part of the subject', true, { subject: 'deregistration' }],
    ['for another subject', false, { subject: 'record_metric' }],
    ['with a probability of 0', false, { chance: 0 }],
    ['with an effect that cannot strike here', false, { effect: { kind: 'crash' } }],
  ])('%s strikes: %s', (_, expected, conditions) => {
    engine.faults.add({ effect: error, ...conditions });

    expect(strikes(1)).toEqual([expected]);
  });

  it('nth of a fault rule counts matching calls only', () => {
    engine.faults.add({ nth: 2, effect: error });

    expect(strikes(4)).toEqual([false, true, false, false]);
  });

  it('times of a fault rule limits how often it strikes', () => {
    engine.faults.add({ times: 2, effect: error });

    expect(strikes(4)).toEqual([true, true, false, false]);
  });

  it('a fault rule with a window strikes from its beginning until its end', async () => {
    const clock = engine.clock as VirtualClock;
    const now = clock.now();
    engine.faults.add({ fromMs: now + 10, untilMs: now + 20, effect: error });

    const before = strikes(1);
    await clock.advance(10);
    const within = strikes(1);
    await clock.advance(10);

    expect([before, within, strikes(1)]).toEqual([[false], [true], [false]]);
  });

  it('a fault rule does not strike after it was removed', () => {
    const remove = engine.faults.add({ effect: error });
    const armed = strikes(1);
    remove();

    expect([armed, strikes(1)]).toEqual([[true], [false]]);
  });

  it('writes the operation and the effect to the journal when it strikes', () => {
    engine.faults.add({ effect: { kind: 'error', status: 503 } });
    strikes(1);

    expect(engine.journal.entries).toMatchObject([
      {
        kind: 'fault',
        source: 'ssm',
        name: 'error',
        subject: point.subject,
        detail: { operation: 'ssm.SendCommand', effect: { kind: 'error', status: 503 } },
      },
    ]);
  });
});

describe('several fault rules', () => {
  it('strike in the order in which they were added', () => {
    engine.faults.add({ times: 1, effect: { kind: 'timeout' } });
    engine.faults.add({ effect: error });
    const kinds = [1, 2].map(() => engine.faults.strike(point, ['error', 'timeout'])?.kind);

    expect(kinds).toEqual(['timeout', 'error']);
  });

  it('do not strike after clear', () => {
    engine.faults.add({ effect: error });
    engine.faults.add({ effect: { kind: 'timeout' } });
    engine.faults.clear();

    expect(strikes(2)).toEqual([false, false]);
  });

  it('faults may strike while a rule is left that has strikes and time left', async () => {
    const { faults } = engine;
    const point = { service: 's3', operation: 'GetObject' };
    const seen = [faults.mayStrike(point)];
    faults.add({ times: 1, effect: error });
    faults.add({ untilMs: engine.clock.now() + 1_000, effect: error });
    seen.push(faults.mayStrike(point));
    strikes(1);
    seen.push(faults.mayStrike(point));
    await (engine.clock as VirtualClock).advance(1_000);
    seen.push(faults.mayStrike(point));
    faults.add({ effect: error });
    seen.push(faults.mayStrike(point));

    expect(seen).toEqual([false, true, true, false, true]);
  });

  it('a fault rule for one operation may strike only there', () => {
    const { faults } = engine;
    faults.add({ service: 'autoscaling', operation: 'Launch', subject: 'zone', effect: error });

    const at = (service: string, operation: string) => faults.mayStrike({ service, operation });
    expect([at('autoscaling', 'Launch'), at('autoscaling', 'Describe'), at('ec2', 'Launch')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
