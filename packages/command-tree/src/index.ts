export { type Invocation, optionKey, type Parsed, parse } from './parse.ts';
export type {
  ArgumentSpec,
  CommandInput,
  CommandName,
  CommandSpec,
  CommandTree,
  OptionSpec,
  OptionValues,
} from './types.ts';
