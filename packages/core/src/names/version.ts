/** The one version of all modules and commands: in `--version`, the output and tag `module_version`, and in `doctor`. */
export const moduleVersion = '0.1.0';
