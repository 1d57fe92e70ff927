import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';

/** Why the contract is not run against an account. */
export class AccountRefusal extends Error {}

/** The account to use, as the operator names it: nothing is guessed. */
export function namedAccount(environment: Readonly<Record<string, string | undefined>>): string {
  const named = environment.DROVER_TEST_AWS_ACCOUNT;
  if (named === undefined || named === '')
    throw new AccountRefusal(
      'DROVER_TEST_AWS_ACCOUNT is not set. Name the account (12 digits) in which these tests may create and delete things.',
    );
  if (!/^\d{12}$/.test(named))
    throw new AccountRefusal(`DROVER_TEST_AWS_ACCOUNT is "${named}"; an account id has 12 digits and nothing else.`);
  return named;
}

/** Refuses when the ambient credentials are of another account than the one that was named, or of its root. */
export async function requireAccount(
  named: string,
  sts: STSClient = new STSClient({}),
): Promise<{ readonly arn: string }> {
  const { Account, Arn = '' } = await sts.send(new GetCallerIdentityCommand({})).catch((error: Error) => {
    throw new AccountRefusal(`AWS does not know these credentials (${error.name}: ${error.message}).`, {
      cause: error,
    });
  });
  if (Account !== named)
    throw new AccountRefusal(
      `The credentials are of account ${Account} (${Arn}), DROVER_TEST_AWS_ACCOUNT names ${named}: nothing was done.`,
    );
  if (Arn.endsWith(':root'))
    throw new AccountRefusal(`The credentials are of ${Arn}; root cannot assume roles. Use a user or role instead.`);
  return { arn: Arn };
}
