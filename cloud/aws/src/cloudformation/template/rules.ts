import { validationError } from '../errors.ts';
import { evaluateCondition } from './functions/conditions.ts';
import type { Scope } from './functions/scope.ts';
import type { Template } from './template.ts';

/** Checks the Rules section; a failed assertion refuses the request (User Guide, "Rules"). */
export function assertRules(template: Template, scope: Scope): void {
  for (const [name, rule] of Object.entries(template.Rules)) {
    if (rule.RuleCondition !== undefined && !evaluateCondition(rule.RuleCondition, scope)) continue;
    for (const assertion of rule.Assertions)
      if (!evaluateCondition(assertion.Assert, scope))
        throw validationError(
          `Template validation error: rule ${name} failed: ${assertion.AssertDescription ?? JSON.stringify(assertion.Assert)}`,
        );
  }
}
