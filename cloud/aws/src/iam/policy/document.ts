import { AwsError } from '../../account/errors.ts';
import { type Condition, compileConditions } from './conditions.ts';
import { normalKey } from './context.ts';
import { compilePrincipal, type PrincipalTest } from './principal.ts';
import { type VariableText, variableText } from './variables.ts';
import { type Pattern, pattern } from './wildcard.ts';

/** The kind of thing that a policy is attached to; it decides which elements a statement must and must not have. */
export type PolicyKind = 'identity' | 'resource' | 'trust';

/** A policy made ready for quick questions. */
export interface Policy {
  readonly statements: readonly Statement[];
  /** The result may change with time alone. */
  readonly timed: boolean;
  /** The condition keys that it reads besides action and resource, normalised: nothing else can change its result. */
  readonly asks: ReadonlySet<string>;
}

export interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly Pattern[];
  readonly notActions: boolean;
  /** Undefined in trust policies: the role itself is the resource. */
  readonly resources: readonly VariableText[] | undefined;
  readonly notResources: boolean;
  readonly principal: PrincipalTest | undefined;
  readonly conditions: readonly Condition[];
}

type Refuse = (why: string) => never;
type Element = Readonly<Record<string, unknown>>;

const documentElements = ['Version', 'Id', 'Statement'];
const statementElements = [
  'Sid',
  'Effect',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Principal',
  'NotPrincipal',
  'Condition',
];

/** Reads a policy document, or throws MalformedPolicyDocument. See "Grammar of the IAM JSON policy language". */
export function compilePolicy(document: unknown, kind: PolicyKind): Policy {
  const parsed = typeof document === 'string' ? parseJson(document) : document;
  if (!isElement(parsed)) return malformed('a policy must be a JSON object');
  for (const element of Object.keys(parsed))
    if (!documentElements.includes(element)) malformed(`unknown policy element ${element}`);
  const version = parsed.Version ?? '2008-10-17';
  if (version !== '2012-10-17' && version !== '2008-10-17') malformed(`policy version ${version} is not known`);
  const list = parsed.Statement === undefined ? [] : toList(parsed.Statement);
  if (list.length === 0) malformed('Statement is missing or empty');
  const statements = list.map((statement, index) =>
    compileStatement(statement, kind, version === '2012-10-17', (why) => malformed(`statement ${index}: ${why}`)),
  );
  return {
    statements,
    timed: statements.some(({ conditions }) => conditions.some(({ timed }) => timed)),
    asks: new Set(statements.flatMap(keysOf).map(normalKey)),
  };
}

const keysOf = ({ conditions, resources }: Statement): string[] =>
  [...conditions, ...(resources ?? [])].flatMap(({ keys }) => keys);

const malformed: Refuse = (why) => {
  throw new AwsError('MalformedPolicyDocument', `Syntax errors in policy: ${why}.`, 400);
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return malformed('the document is not JSON');
  }
}

const isElement = (value: unknown): value is Element =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

function compileStatement(statement: unknown, kind: PolicyKind, withVariables: boolean, refuse: Refuse): Statement {
  if (!isElement(statement)) return refuse('a statement must be an object');
  for (const element of Object.keys(statement))
    if (!statementElements.includes(element)) refuse(`unknown element ${element}`);
  const { Effect: effect } = statement;
  if (effect !== 'Allow' && effect !== 'Deny') return refuse(`Effect ${effect} must be Allow or Deny`);
  const notActions = oneOf(statement, 'Action', 'NotAction', refuse);
  return {
    effect,
    actions: texts(statement, notActions ? 'NotAction' : 'Action', refuse).map((text) => actionPattern(text, refuse)),
    notActions,
    ...compileResources(statement, kind, withVariables, refuse),
    principal: compileWho(statement, kind, refuse),
    conditions: compileConditions(statement.Condition, withVariables, refuse),
  };
}

/** Whether the `Not…` form is used; one of the two must be there. */
function oneOf(statement: Element, plain: string, negated: string, refuse: Refuse): boolean {
  if ((statement[plain] === undefined) === (statement[negated] === undefined))
    refuse(`exactly one of ${plain} and ${negated} is required`);
  return statement[negated] !== undefined;
}

function texts(statement: Element, element: string, refuse: Refuse): string[] {
  const list = toList(statement[element]);
  if (list.length === 0) refuse(`${element} is empty`);
  return list.map((item) => (typeof item === 'string' ? item : refuse(`${element} must hold text`)));
}

/** Actions ignore case: "IAM JSON policy elements: Action". */
function actionPattern(text: string, refuse: Refuse): Pattern {
  if (text !== '*' && !/^[A-Za-z0-9-]+:[A-Za-z0-9*?]+$/.test(text))
    refuse(`action ${text} must be * or have the form service:Name`);
  return pattern(text.toLowerCase());
}

function compileResources(statement: Element, kind: PolicyKind, withVariables: boolean, refuse: Refuse) {
  if (kind === 'trust') {
    if (statement.Resource !== undefined || statement.NotResource !== undefined)
      refuse('a trust policy has no Resource: it belongs to its role');
    return { resources: undefined, notResources: false };
  }
  const notResources = oneOf(statement, 'Resource', 'NotResource', refuse);
  const resources = texts(statement, notResources ? 'NotResource' : 'Resource', refuse).map((text) => {
    if (!/^(?:\*|arn:.*|\$\{.*)$/s.test(text)) refuse(`resource ${text} must be in ARN format or "*"`);
    return variableText(text, withVariables, refuse);
  });
  return { resources, notResources };
}

function compileWho(statement: Element, kind: PolicyKind, refuse: Refuse): PrincipalTest | undefined {
  const { Principal, NotPrincipal } = statement;
  if (kind === 'identity') {
    if (Principal !== undefined || NotPrincipal !== undefined)
      refuse('an identity-based policy has no Principal: it belongs to its identity');
    return undefined;
  }
  if (NotPrincipal !== undefined) refuse('NotPrincipal is not modelled by the embedded cloud');
  if (Principal === undefined) refuse('Principal is missing');
  return compilePrincipal(Principal, refuse);
}
