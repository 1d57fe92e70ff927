import { TerminalError } from '@drover/core';
import { moduleVersion } from '@drover/core/names/version';

type LocalPart = typeof import('@drover/local');
const installed = (): Promise<LocalPart> => import('@drover/local');

/** The one command that adds the package, in the folder of the release that this command came with. */
const addition = `npm install ./drover-local-${moduleVersion}.tgz`;

/** Shown by the page of `drover console` where what-if questions would be. */
export const whatIfIsMissing = `What-if needs the package @drover/local beside drover: ${addition}`;

/** Undefined when it is not installed. */
export async function findLocalPart(load = installed): Promise<LocalPart | undefined> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'@drover/local'")) return undefined;
    throw error;
  }
}

/** The laptop's part: it brings CDK and the embedded cloud, so it is a package that is installed beside the command. */
export async function localPart(command: string, load = installed): Promise<LocalPart> {
  const found = await findLocalPart(load);
  if (found !== undefined) return found;
  throw new TerminalError(`${command} needs the package @drover/local, which is not installed`, {
    remedy: `add it from the same release: ${addition}`,
  });
}
