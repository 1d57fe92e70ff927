/** Types of the constructs in the words that jsii knows: enums, structs, classes, and collections of them. */
import ts from 'typescript';

/** Unions of texts that have no name of their own, or one that says too little outside of its module. */
const enumNames: Readonly<Record<string, string>> = {
  'enterprise org repo': 'GitHubLevelKind',
  'data master': 'NodeKind',
};

const pascalCase = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const constantCase = (value: string) => value.replaceAll(/[^A-Za-z0-9]+/g, '_').toUpperCase();
const is = (type: ts.Type, flags: ts.TypeFlags) => (type.flags & flags) !== 0;

export const isOptional = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.Optional) !== 0;

export class FaceTypes {
  /** Alias of each module of the CDK that was named, to the module. */
  readonly imports = new Map<string, string>();
  readonly enums = new Map<string, string>();
  readonly structs = new Map<string, string>();
  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** A type as jsii takes it; `hint` names an enum that has no name. */
  text(type: ts.Type, hint: string): string {
    const members = type.isUnion() ? type.types : [type];
    const present = members.filter((member) => !is(member, ts.TypeFlags.Undefined | ts.TypeFlags.Null));
    if (present.every((member) => is(member, ts.TypeFlags.BooleanLike))) return 'boolean';
    if (present.every((member) => member.isStringLiteral()))
      return this.#enum(
        type.aliasSymbol?.name,
        hint,
        present.map(({ value }) => value),
      );
    // No other language has a union with a list in it.
    if (present.some((member) => this.#checker.isArrayType(member)) && present.length > 1) return 'any';
    const texts = present.map((member) => (member.isStringLiteral() ? 'string' : this.#one(member, hint)));
    return [...new Set(texts)].join(' | ');
  }

  #one(type: ts.Type, hint: string): string {
    if (is(type, ts.TypeFlags.StringLike)) return 'string';
    if (is(type, ts.TypeFlags.NumberLike)) return 'number';
    if (is(type, ts.TypeFlags.BooleanLike)) return 'boolean';
    if (this.#checker.isArrayType(type)) {
      const [element] = this.#checker.getTypeArguments(type as ts.TypeReference);
      return `${this.text(element!, hint)}[]`;
    }
    const index = this.#checker.getIndexInfoOfType(type, ts.IndexKind.String);
    if (index !== undefined) return `{ [key: string]: ${this.text(index.type, hint)} }`;
    return this.nameOf(type.symbol) ?? this.struct(type.symbol.name, type, this.comment(type.symbol));
  }

  #enum(alias: string | undefined, hint: string, values: readonly string[]): string {
    const name = enumNames[[...values].sort().join(' ')] ?? alias ?? pascalCase(hint);
    const members = values.map((value) => `  /** \`${value}\` */\n  ${constantCase(value)} = '${value}',`);
    const text = `/** One of ${values.join(', ')}. */\nexport enum ${name} {\n${members.join('\n')}\n}\n`;
    if ((this.enums.get(name) ?? text) !== text) throw new Error(`two enums are called ${name}: ${text}`);
    this.enums.set(name, text);
    return name;
  }

  /** The name of a type of the CDK behind its module, or of a class of ours; undefined for what has to be written out. */
  nameOf(symbol: ts.Symbol): string | undefined {
    const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
    const module = /node_modules\/aws-cdk-lib\/([^/]+)\//.exec(file)?.[1];
    if (module === undefined)
      return /node_modules\/constructs\//.test(file) || symbol.flags & ts.SymbolFlags.Class ? symbol.name : undefined;
    const alias = module === 'core' ? 'cdk' : module.replace(/^aws-/, '').replaceAll('-', '_');
    this.imports.set(alias, module === 'core' ? 'aws-cdk-lib' : `aws-cdk-lib/${module}`);
    return `${alias}.${symbol.name}`;
  }

  /** An interface with every member of a type, those that it extends too; returns its name. */
  struct(name: string, type: ts.Type, comment: string): string {
    if (this.structs.has(name)) return name;
    // Before its members, which may name it.
    this.structs.set(name, '');
    const members = this.#checker.getPropertiesOfType(type).map((member) => this.property(member));
    this.structs.set(name, `${comment}export interface ${name} {\n${members.join('\n\n')}\n}\n`);
    return name;
  }

  property(member: ts.Symbol): string {
    const type = this.#checker.getTypeOfSymbol(member);
    const orNothing = type.isUnion() && type.types.some((part) => is(part, ts.TypeFlags.Undefined));
    const mark = isOptional(member) || orNothing ? '?' : '';
    return `${this.comment(member, '  ')}  readonly ${member.name}${mark}: ${this.text(type, member.name)};`;
  }

  /** Parameters of a function, for a declaration. */
  parameters({ parameters }: ts.Signature): string {
    const texts = parameters.map((parameter) => {
      const { questionToken, initializer } = parameter.valueDeclaration as ts.ParameterDeclaration;
      const mark = questionToken === undefined && initializer === undefined ? '' : '?';
      return `${parameter.name}${mark}: ${this.text(this.#checker.getTypeOfSymbol(parameter), parameter.name)}`;
    });
    return texts.join(', ');
  }

  /** The comment of a symbol; jsii reads a default after a dash as text. */
  comment(symbol: ts.Symbol, indent = '', ...more: readonly string[]): string {
    const tags = symbol.getJsDocTags(this.#checker).flatMap(({ name, text }) => {
      const value = ts.displayPartsToString(text);
      if (name === 'default') return [`@default - ${value}`];
      // jsii takes examples without the fences.
      if (name === 'example') return [`@example\n${value.replaceAll(/^```.*$/gm, '').trim()}`];
      return name === 'param' ? [`@param ${value}`] : [];
    });
    const summary = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).trim();
    const parts = [summary, ...tags, ...more].filter((part) => part !== '');
    if (parts.length === 0) return '';
    const lines = parts.join('\n\n').replaceAll('*/', '* /').split('\n');
    return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
  }
}
