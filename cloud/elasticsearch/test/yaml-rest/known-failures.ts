/** Cases of the official suite that the embedded cluster does not pass, by `file: case`, each with the reason. */
export const knownFailures: Readonly<Record<string, string>> = {};
