import { describeError, remedyOf } from '@drover/core';

/** Common first errors, with remedies. */
const remedies: readonly { readonly when: RegExp; readonly remedy: string }[] = [
  {
    when: /Region is missing/,
    remedy: 'for drover local read its addresses first: `. .drover/local.env`; for AWS set AWS_REGION or AWS_PROFILE',
  },
  {
    when: /Could not load credentials|CredentialsProviderError/,
    remedy: 'for drover local: `. .drover/local.env`; for AWS log in, or set AWS_PROFILE',
  },
  {
    when: /ECONNREFUSED (127\.|\[?::1|localhost)/,
    remedy:
      'drover local does not run there: start it (`npm start`, or `drover local`), and read `. .drover/local.env` again',
  },
];

/** One line: what happened and what to do. */
export function explain(error: unknown): string {
  const text = messageOf(error);
  const known = remedyOf(error);
  const remedy = known ?? remedies.find(({ when }) => when.test(text))?.remedy;
  return remedy === undefined ? text : `${text}; ${remedy}`;
}

/** An address of several families fails once for each, and says nothing itself. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describeError).join(', ');
  return describeError(error);
}
