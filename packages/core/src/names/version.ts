/** The one version of all modules and commands: in `--version`, the output and tag `module_version`, and in `doctor`. */
export const moduleVersion = '0.2.0-dev';

/** The same version as Debian writes it: `~` sorts before everything, so that 0.2.0~dev is older than 0.2.0 (deb-version(7)). */
export const debianVersion = (version: string): string => version.replace('-', '~');
