import type { ServiceId } from '@drover/cloud-aws';
import type { World } from '@drover/cloud-world';

type Caller = Parameters<World['aws']['call']>[3];

/** A request as `sendSigned` hands it to its transport. */
interface SignedHttp {
  readonly hostname: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface OneCall {
  readonly service: ServiceId;
  readonly operation: string;
  readonly input: unknown;
  /** The answer as the service would write it. */
  answer(output: unknown): Omit<Answer, 'statusCode'>;
}

/**
 * The transport of the few requests that programs sign by hand, for mass simulation: identity, IAM, faults and journal
 * as on the wire, without parsing what this same process has just written. Stories with transport `sdk` use the wire.
 */
export function directRequestHandler(world: World, caller: Caller) {
  return {
    async handle(request: SignedHttp): Promise<{ response: Answer }> {
      const { service, operation, input, answer } = read(request);
      try {
        const output = await world.aws.call(service, operation, input, caller);
        return { response: { statusCode: 200, ...answer(output) } };
      } catch (error) {
        return { response: refusal(error) };
      }
    },
  };
}

function read(request: SignedHttp): OneCall {
  const [service] = request.hostname.split('.');
  if (service === 's3' && request.method === 'GET') return getObject(request);
  if (service === 's3' && request.method === 'PUT') return putObject(request);
  const form = new URLSearchParams(String(request.body));
  if (service === 'ec2' && form.get('Action') === 'CreateTags') return createTags(form);
  if (service === 'ec2' && form.get('Action') === 'DescribeTags') return describeTags(form);
  throw new Error(`no direct way for ${request.method} ${request.hostname}${request.path}: send it over the wire`);
}

function objectOf({ path }: SignedHttp) {
  const [, Bucket = '', ...key] = path.split('/');
  return { Bucket, Key: key.map(decodeURIComponent).join('/') };
}

const getObject = (request: SignedHttp): OneCall => ({
  service: 's3',
  operation: 'GetObject',
  input: objectOf(request),
  answer: (output) => {
    const { Body, ETag } = output as { Body: Uint8Array; ETag: string };
    return { headers: { etag: ETag }, body: Buffer.from(Body).toString('utf8') };
  },
});

const putObject = (request: SignedHttp): OneCall => ({
  service: 's3',
  operation: 'PutObject',
  input: {
    ...objectOf(request),
    Body: Buffer.from(String(request.body)),
    ContentType: request.headers['content-type'],
    IfMatch: request.headers['if-match'],
    IfNoneMatch: request.headers['if-none-match'],
  },
  answer: (output) => ({ headers: { etag: (output as { ETag: string }).ETag }, body: '' }),
});

const createTags = (form: URLSearchParams): OneCall => ({
  service: 'ec2',
  operation: 'CreateTags',
  input: {
    Resources: [form.get('ResourceId.1')],
    Tags: [{ Key: form.get('Tag.1.Key'), Value: form.get('Tag.1.Value') }],
  },
  answer: () => ({ headers: {}, body: '<CreateTagsResponse><return>true</return></CreateTagsResponse>' }),
});

const describeTags = (form: URLSearchParams): OneCall => ({
  service: 'ec2',
  operation: 'DescribeTags',
  input: { Filters: [filter(form, 1), filter(form, 2)], MaxResults: Number(form.get('MaxResults')) },
  answer: (output) => {
    const { Tags } = output as { Tags: readonly { ResourceId: string; Value: string }[] };
    const items = Tags.map(
      (tag) => `<item><resourceId>${tag.ResourceId}</resourceId><value>${tag.Value}</value></item>`,
    );
    return { headers: {}, body: `<tagSet>${items.join('')}</tagSet>` };
  },
});

function filter(form: URLSearchParams, number: number) {
  const Values: string[] = [];
  for (let index = 1; form.has(`Filter.${number}.Value.${index}`); index++)
    Values.push(form.get(`Filter.${number}.Value.${index}`)!);
  return { Name: form.get(`Filter.${number}.Name`), Values };
}

/** An error of AWS as XML; anything else is a fault of this program and stays one. */
function refusal(error: unknown): Answer {
  const { code, status, message } = error as { code?: string; status?: number; message: string };
  if (code === undefined || status === undefined) throw error;
  return {
    statusCode: status,
    headers: {},
    body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  };
}
