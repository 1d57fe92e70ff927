import { moduleVersion } from '@drover/core/names/version';
import { expect, it } from 'vitest';
import { explain } from './first-errors.ts';
import { findLocalPart, localPart } from './local-part.ts';

const missing = (name: string) => async () => {
  throw Object.assign(new Error(`Cannot find package '${name}' imported from drover.mjs`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
};

it('drover local without the package @drover/local prints the one command that adds it', async () => {
  const error = await localPart('drover local', missing('@drover/local')).catch((thrown: unknown) => thrown);

  expect(explain(error)).toBe(
    `drover local needs the package @drover/local, which is not installed; add it from the same release: npm install ./drover-local-${moduleVersion}.tgz`,
  );
  expect(await findLocalPart(missing('@drover/local'))).toBeUndefined();
});

it('a broken installation of @drover/local is not taken for a missing one', async () => {
  await expect(findLocalPart(missing('aws-cdk-lib'))).rejects.toThrow("Cannot find package 'aws-cdk-lib'");
});
