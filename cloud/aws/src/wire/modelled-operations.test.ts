import { World } from '@drover/cloud-world';
import { expect, it } from 'vitest';
import { serviceIds } from '../account/service.ts';
import { serviceModel } from './schema/service-model.ts';

it.each(serviceIds)('every modelled operation of %s is one that its SDK package knows', (service) => {
  const modelled = Object.keys(new World().aws.services[service].operations);
  expect(modelled.filter((name) => !serviceModel(service).operations.has(name))).toEqual([]);
});
