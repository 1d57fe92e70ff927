import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { AwsCalls } from '@drover/adapters/aws';
import type { OperatorClients } from '../io.ts';

/** Reads and writes objects of the state bucket with the operator's S3 client. */
export const objectCalls = ({ s3 }: Pick<OperatorClients, 's3'>): AwsCalls['s3'] =>
  (async (operation: string, input: never) => {
    if (operation === 'PutObject') return await s3.send(new PutObjectCommand(input));
    const { Body, ETag } = await s3.send(new GetObjectCommand(input));
    return { Body: (await Body?.transformToString()) ?? '', ETag };
  }) as AwsCalls['s3'];
