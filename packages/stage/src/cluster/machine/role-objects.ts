import type { Objects } from '@drover/adapters/aws/objects';
import type { Caller } from '@drover/cloud-aws';
import type { World } from '@drover/cloud-world';

/** S3 with the rights of an instance's role, straight to the service. */
export function roleObjects(world: World, caller: () => Caller): Objects {
  const call = (operation: string, input: object) => world.aws.call('s3', operation, input, caller());
  return {
    get: (Bucket, Key) =>
      unless('NoSuchKey', undefined, async () => {
        const { Body } = (await call('GetObject', { Bucket, Key })) as { Body: Uint8Array };
        return Buffer.from(Body).toString('utf8');
      }),
    create: (Bucket, Key, text) =>
      unless('PreconditionFailed', false, async () => {
        await call('PutObject', { Bucket, Key, Body: Buffer.from(text), IfNoneMatch: '*' });
        return true;
      }),
  };
}

async function unless<T, Other>(code: string, otherwise: Other, act: () => Promise<T>): Promise<T | Other> {
  try {
    return await act();
  } catch (error) {
    const { name, code: found } = error as { readonly name?: string; readonly code?: string };
    if (name === code || found === code) return otherwise;
    throw error;
  }
}
