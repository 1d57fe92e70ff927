import { awsFailure, dnsSuffix, type SdkNeighbour, type SignedAnswer, sendSigned } from '../fleet/signed-request.ts';
import { call } from './errors.ts';

/** The two calls to S3 that a node's command makes. */
export interface Objects {
  /** Undefined when the object does not exist. */
  get(bucket: string, key: string): Promise<string | undefined>;
  /** Answers whether this call created it; S3, "Conditional writes": `If-None-Match: *` lets one of many succeed. */
  create(bucket: string, key: string, text: string): Promise<boolean>;
}

/** Signed by hand with the configuration of a client that is loaded anyway: a third SDK package is not worth two calls. */
export function signedObjects(neighbour: SdkNeighbour, endpoint?: string): Objects {
  const send = async (method: string, bucket: string, key: string, headers: Record<string, string>, body?: string) => {
    const region = await neighbour.config.region();
    const host = `s3.${region}.${dnsSuffix(region)}`;
    const request = { service: 's3', method, host, path: `/${bucket}/${key}`, headers };
    return await sendSigned(neighbour, body === undefined ? request : { ...request, body }, endpoint);
  };
  return {
    get: (bucket, key) =>
      call('s3:GetObject', async () => {
        const answer = await send('GET', bucket, key, {});
        if (answer.status === 404 && answer.body.includes('NoSuchKey')) return undefined;
        return ok(answer, `s3://${bucket}/${key}`).body;
      }),
    create: (bucket, key, text) =>
      call('s3:PutObject', async () => {
        const headers = { 'if-none-match': '*', 'content-type': 'application/json' };
        const answer = await send('PUT', bucket, key, headers, text);
        // 409: somebody else is writing it at this moment.
        if (answer.status === 412 || answer.status === 409) return false;
        ok(answer, `s3://${bucket}/${key}`);
        return true;
      }),
  };
}

function ok(answer: SignedAnswer, what: string): SignedAnswer {
  if (answer.status < 300) return answer;
  throw Object.assign(awsFailure(answer, what), { $metadata: { httpStatusCode: answer.status } });
}
