export { type Invocation, optionKey, type Parsed, parse } from './parse.ts';
export {
  type ArgumentSpec,
  type CommandInput,
  type CommandName,
  type CommandSpec,
  type CommandTree,
  type OptionSpec,
  type OptionValues,
  valueOption,
} from './types.ts';
