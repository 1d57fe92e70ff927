import { InputError } from '../inputs/check-inputs.ts';

/**
 * The most that EC2 accepts, before it is encoded (EC2 user guide, "Run commands when you launch an EC2 instance with
 * user data input").
 */
export const userDataLimitBytes = 16 * 1024;
/** No value that CloudFormation fills in here (region, bucket, a secret's ARN) is longer. */
const longestFilledIn = 160;

/** Stops synthesis when an instance could not be launched with this user data. */
export function checkUserDataSize(module: string, userData: string): void {
  const bytes = Buffer.byteLength(userData.replaceAll(/\$\{Token\[[^\]]+\]\}/g, 'x'.repeat(longestFilledIn)));
  if (bytes <= userDataLimitBytes) return;
  throw new InputError(module, [
    {
      key: 'extra_files',
      problem: `the user data would have ${bytes} bytes with its files compressed, ${bytes - userDataLimitBytes} more than EC2 takes`,
      remedy:
        'Shorten extra_files, post_runcmd and the keys in extra_repos, or bring long files in a package (input packages)',
    },
  ]);
}
