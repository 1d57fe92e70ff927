import { templateFormatError } from '../errors.ts';
import type { ParameterDeclaration } from './template.ts';

/** How a value breaks its declaration, as CloudFormation words it. */
export type ParameterConstraintFailure = string;

/** Types by User Guide, "Parameters", and the AWS-specific ones, whose values are not looked up. */
const knownType =
  /^(String|Number|List<Number>|CommaDelimitedList|(List<)?AWS::(EC2|Route53)::[A-Za-z:.]+>?|AWS::SSM::Parameter::(Name|Value<.+>))$/;

/** The first constraint that a parameter's value breaks. */
export function violatedConstraint(
  name: string,
  declaration: ParameterDeclaration,
  text: string,
): ParameterConstraintFailure | undefined {
  if (!knownType.test(declaration.Type))
    throw templateFormatError(`Unrecognized parameter type: ${declaration.Type} (parameter ${name})`);
  const parts =
    declaration.Type === 'CommaDelimitedList' || declaration.Type.startsWith('List<') ? split(text) : [text];
  for (const part of parts) {
    const failure = checkNumber(declaration, part) ?? checkText(declaration, part);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

const split = (text: string) => text.split(',').map((each) => each.trim());

function checkNumber(declaration: ParameterDeclaration, text: string): ParameterConstraintFailure | undefined {
  if (declaration.Type !== 'Number' && declaration.Type !== 'List<Number>') return undefined;
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number)) return 'must be a number';
  const { MinValue, MaxValue } = declaration;
  if (MinValue !== undefined && number < Number(MinValue)) return `must be a number not less than ${MinValue}`;
  if (MaxValue !== undefined && number > Number(MaxValue)) return `must be a number not greater than ${MaxValue}`;
  return undefined;
}

function checkText(declaration: ParameterDeclaration, text: string): ParameterConstraintFailure | undefined {
  const { AllowedValues, AllowedPattern, MinLength, MaxLength } = declaration;
  if (AllowedValues !== undefined && !AllowedValues.map(String).includes(text)) return 'must be one of AllowedValues';
  if (MinLength !== undefined && text.length < Number(MinLength))
    return `must contain at least ${MinLength} characters`;
  if (MaxLength !== undefined && text.length > Number(MaxLength)) return `must contain at most ${MaxLength} characters`;
  if (AllowedPattern !== undefined && !new RegExp(`^(?:${AllowedPattern})$`).test(text))
    return `must match pattern ${AllowedPattern}`;
  return undefined;
}
