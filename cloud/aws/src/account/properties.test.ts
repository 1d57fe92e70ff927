import { World } from '@drover/cloud-world';
import { expect, it } from 'vitest';
import { specOf } from '../cloudformation/spec/resource-spec.ts';
import properties from './properties.json' with { type: 'json' };

it('every type whose properties are listed is modelled, and every listed property is one of the type', () => {
  const { resources } = new World().aws;
  for (const [type, names] of Object.entries(properties)) {
    expect(Object.keys(resources)).toContain(type);
    const known = Object.keys(specOf(type)?.properties ?? {});
    expect(
      names.filter((name) => !known.includes(name)),
      `${type} has no such property`,
    ).toEqual([]);
  }
});
