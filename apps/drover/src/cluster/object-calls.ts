import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { AwsCalls } from '@drover/adapters/aws';
import type { OperatorClients } from '../io.ts';

/** The operator's S3 in the place of a node's, for objects of the state bucket. */
export const objectCalls = ({ s3 }: Pick<OperatorClients, 's3'>): AwsCalls['s3'] =>
  (async (operation: string, input: never) => {
    if (operation === 'PutObject') return await s3.send(new PutObjectCommand(input));
    const { Body, ETag } = await s3.send(new GetObjectCommand(input));
    return { Body: (await Body?.transformToString()) ?? '', ETag };
  }) as AwsCalls['s3'];
