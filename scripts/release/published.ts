/** Whether the packages of the release are in a public registry. Until they are, their names could be anyone's. */
export const published = false;

/** An address without an owner, which cannot have one: no published package has it. */
const nowhere = 'https://drover.invalid/drover';

/** The address of the sources. The workflow says it, and npm proves provenance against it. */
const home = process.env.DROVER_REPOSITORY ?? nowhere;

/** In the manifest of every package. */
export const whereabouts = {
  homepage: `${home}#readme`,
  bugs: { url: `${home}/issues` },
  repository: { type: 'git', url: `git+${home}.git` },
};
