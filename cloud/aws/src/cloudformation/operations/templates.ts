import type { ArnScope } from '../../account/arn.ts';
import type { Operations } from '../../account/service.ts';
import { neededCapabilities } from '../capabilities.ts';
import type { ChangeSets } from '../change-sets.ts';
import { validationError } from '../errors.ts';
import type { Stacks } from '../state.ts';
import { pseudoParameters } from '../template/functions/scope.ts';
import { parseTemplate } from '../template/parse.ts';
import { checkReferences } from '../template/references.ts';
import type { Template } from '../template/template.ts';
import { type ObjectReader, type TemplateInput, templateText } from '../template-source.ts';
import { onStack } from './permissions.ts';

/** Reads of templates and exports. */
export const templateOperations = (
  scope: ArnScope,
  stacks: Stacks,
  changeSets: ChangeSets,
  read: ObjectReader,
): Operations => ({
  GetTemplate: onStack<{ StackName?: string; ChangeSetName?: string }, unknown>(scope, 'GetTemplate', (input) => ({
    TemplateBody:
      input.ChangeSetName === undefined
        ? bodyOf(stacks, input.StackName ?? '')
        : changeSets.get(input.ChangeSetName, input.StackName).deployment.body,
    StagesAvailable: ['Original', 'Processed'],
  })),
  GetTemplateSummary: onStack<TemplateInput & { StackName?: string }, unknown>(scope, 'GetTemplateSummary', (input) => {
    const body = input.StackName === undefined ? undefined : bodyOf(stacks, input.StackName);
    const template = body === undefined ? checkedTemplate(scope, input, read) : parseTemplate(body);
    return {
      ...capabilitiesOf(template),
      Version: template.AWSTemplateFormatVersion,
      Description: template.Description,
      Parameters: parametersOf(template),
      ResourceTypes: [...new Set(Object.values(template.Resources).map(({ Type }) => Type))],
      DeclaredTransforms: template.Transform.length > 0 ? [...template.Transform] : undefined,
      Metadata: template.Metadata === undefined ? undefined : JSON.stringify(template.Metadata),
    };
  }),
});

/** A stack that has only change sets so far has no template yet: CDK's CLI asks and expects nothing. */
const bodyOf = (stacks: Stacks, name: string): string | undefined => stacks.get(name).deployment?.body;

function checkedTemplate(scope: ArnScope, input: TemplateInput, read: ObjectReader): Template {
  const body = templateText(input, read);
  if (body === undefined) throw validationError('Either Template URL or Template Body must be specified.');
  const template = parseTemplate(body);
  checkReferences(
    template,
    pseudoParameters({ accountId: scope.accountId, region: scope.region, stackName: '', stackId: '' }),
  );
  return template;
}

function capabilitiesOf(template: Template) {
  const needed = neededCapabilities(template);
  if (needed.length === 0) return {};
  return {
    Capabilities: needed,
    CapabilitiesReason: 'The following resource(s) require capabilities: IAM resources or transforms',
  };
}

const parametersOf = (template: Template) =>
  Object.entries(template.Parameters).map(([ParameterKey, declared]) => ({
    ParameterKey,
    DefaultValue: declared.Default === undefined ? undefined : String(declared.Default),
    ParameterType: declared.Type,
    NoEcho: declared.NoEcho === true || declared.NoEcho === 'true',
    Description: declared.Description,
    ParameterConstraints:
      declared.AllowedValues === undefined ? {} : { AllowedValues: declared.AllowedValues.map(String) },
  }));
