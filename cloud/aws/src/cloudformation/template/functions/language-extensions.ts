import { templateError } from '../../errors.ts';
import type { Intrinsic, Scope } from './scope.ts';

/** The transform without which these functions do not exist (User Guide, "AWS::LanguageExtensions transform"). */
export const languageExtensionsTransform = 'AWS::LanguageExtensions';

/** Functions of the language extensions. */
export const languageExtensions: Readonly<Record<string, Intrinsic>> = {
  'Fn::Length': (argument, scope, resolve) => {
    requireTransform('Fn::Length', scope);
    const values = resolve(argument);
    if (!Array.isArray(values)) throw templateError('Fn::Length requires a list');
    return values.length;
  },
  'Fn::ToJsonString': (argument, scope, resolve) => {
    requireTransform('Fn::ToJsonString', scope);
    return JSON.stringify(resolve(argument));
  },
};

function requireTransform(name: string, scope: Scope): void {
  if (!scope.template.Transform.includes(languageExtensionsTransform))
    throw templateError(`${name} needs the template to declare "Transform": "${languageExtensionsTransform}"`);
}
