import type { HttpRequest } from '@drover/cloud-engine';

/** Operations with the name of a read that leave something behind: the date of the last access, credentials, a draw of chance. */
const leavesSomething = /^Get(SecretValue|RandomPassword|SessionToken|FederationToken)$/;

/** Whether a request to AWS reads and leaves nothing that a later request could see. */
export function isMereRead({ method, query, headers, body }: HttpRequest): boolean {
  const target = headers['x-amz-target']?.split('.').at(-1);
  const operation = target ?? actionOf(query) ?? actionOf(Buffer.from(body).toString());
  // S3 and Lambda have no name for the operation, but verbs.
  if (operation === undefined) return method === 'GET' || method === 'HEAD';
  return /^(Describe|Filter|Get|Head|List)[A-Z]/.test(operation) && !leavesSomething.test(operation);
}

const actionOf = (form: string): string | undefined => /(?:^|&)Action=(\w+)/.exec(form)?.[1];
