import { validationError } from './errors.ts';

/** User Guide, "CloudFormation quotas": a template in the request, and one in S3. */
const maxBodyBytes = 51_200;
const maxUrlBytes = 1_048_576;

export interface TemplateInput {
  readonly TemplateBody?: string;
  readonly TemplateURL?: string;
}

/** Reads an object of a bucket. */
export type ObjectReader = (bucket: string, key: string) => Uint8Array | undefined;

/** The text of the template that a request names; undefined when it names none. */
export function templateText(input: TemplateInput, read: ObjectReader): string | undefined {
  if (input.TemplateBody !== undefined && input.TemplateURL !== undefined)
    throw validationError('Either Template URL or Template Body must be specified, not both.');
  if (input.TemplateBody !== undefined) return checkSize(input.TemplateBody, maxBodyBytes, 'templateBody');
  if (input.TemplateURL === undefined) return undefined;
  const { bucket, key } = bucketAndKey(input.TemplateURL);
  const body = read(bucket, key);
  if (body === undefined) throw validationError(`S3 error: The specified key does not exist: s3://${bucket}/${key}`);
  return checkSize(new TextDecoder().decode(body), maxUrlBytes, 'templateURL');
}

function checkSize(text: string, limit: number, member: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes > limit)
    throw validationError(
      `1 validation error detected: Value at '${member}' failed to satisfy constraint: Member must have length less than or equal to ${limit} (it has ${bytes})`,
    );
  return text;
}

/** Virtual-hosted (`bucket.s3…/key`) and path style (`s3…/bucket/key`, also on a local endpoint). */
function bucketAndKey(url: string): { bucket: string; key: string } {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw validationError(`TemplateURL must be a supported URL: ${url}`);
  }
  const path = decodeURIComponent(parsed.pathname.slice(1));
  const hosted = /^(.+?)\.s3[.-]/.exec(parsed.hostname);
  if (hosted !== null) return { bucket: hosted[1]!, key: path };
  const slash = path.indexOf('/');
  if (slash < 0) throw validationError(`TemplateURL must reference a valid S3 object to which you have access: ${url}`);
  return { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
}
