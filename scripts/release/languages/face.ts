/**
 * The face of the released constructs, written from their sources: one TypeScript file that jsii compiles, and the declarations of the bundle
 * that it extends. What only TypeScript has is left out of the other languages by `@jsii ignore` (decision 86).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { FaceTypes, isOptional } from './face-types.ts';

const ignore = '@jsii ignore';
const camelCase = (key: string) => key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Types that no member of a construct needs in another language. */
const typescriptOnly = ['InputError', 'InputProblem', 'SettingValue', 'FunctionsBySuffix'];

export interface Face {
  /** `index.ts`. */
  readonly index: string;
  /** `impl.d.ts`, the declarations of the bundle. */
  readonly implementation: string;
  /** The entry of the bundle. */
  readonly entry: string;
}

/** Reads the entry of the constructs below `root`. */
export function faceOf(root: string, entry: string): Face {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile) as { readonly config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [entry], include: [] }, ts.sys, root);
  const program = ts.createProgram([join(root, entry)], options);
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, entry))!)!;
  const exported = checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
  return new FaceWriter(checker).write(exported);
}

export function writeFace({ index, implementation }: Face, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.ts'), index);
  writeFileSync(join(folder, 'impl.d.ts'), implementation);
}

class FaceWriter {
  readonly #checker: ts.TypeChecker;
  readonly #types: FaceTypes;
  /** Classes of the face, declarations of what they extend, and of what only TypeScript has. */
  readonly #classes: string[] = [];
  readonly #bases: string[] = [];
  readonly #plain: string[] = [];

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
    this.#types = new FaceTypes(checker);
  }

  write(exported: readonly ts.Symbol[]): Face {
    const plain = exported.filter(
      ({ name, flags }) => typescriptOnly.includes(name) || flags & (ts.SymbolFlags.Variable | ts.SymbolFlags.Function),
    );
    const classes = exported.filter((symbol) => symbol.flags & ts.SymbolFlags.Class && !plain.includes(symbol));
    const structs = exported.filter((symbol) => symbol.flags & ts.SymbolFlags.Interface && !plain.includes(symbol));
    for (const symbol of structs)
      this.#types.struct(symbol.name, this.#checker.getDeclaredTypeOfSymbol(symbol), this.#types.comment(symbol));
    for (const symbol of classes) this.#class(symbol);
    for (const symbol of plain) this.#plain.push(this.#declaration(symbol));
    const names = (symbols: readonly ts.Symbol[]) => symbols.map(({ name }) => name);
    const values = plain.filter(({ flags }) => flags & ts.SymbolFlags.Value);
    return {
      index: this.#index(names(classes), names(plain)),
      implementation: this.#implementation(),
      entry: [
        `import { ${names(classes).join(', ')} } from '@drover/constructs';`,
        ...names(classes).map((name) => `export { ${name} as _${name} };`),
        `export { ${names(values).join(', ')} } from '@drover/constructs';`,
      ].join('\n'),
    };
  }

  #index(classes: readonly string[], plain: readonly string[]): string {
    const { enums, structs } = this.#types;
    const body = [...enums.values(), ...structs.values(), ...this.#classes].join('\n');
    const bases = classes.map((name) => `_${name}`).join(', ');
    return `${this.#imports(body)}import { Construct } from 'constructs';
import { ${bases} } from './impl';

export { ${plain.join(', ')} } from './impl';

${body}`;
  }

  #implementation(): string {
    const body = [...this.#bases, ...this.#plain].join('\n');
    const own = [...this.#types.enums.keys(), ...this.#types.structs.keys(), ...this.#classes.map(nameOfClass)];
    const used = own.filter((name) => new RegExp(`(?<![\\w.])${name}\\b`).test(body));
    return `${this.#imports(body)}import { Construct } from 'constructs';
import { ${used.join(', ')} } from './index';

${body}`;
  }

  #imports(body: string): string {
    return [...this.#types.imports]
      .filter(([alias]) => new RegExp(`\\b${alias}\\.`).test(body))
      .sort()
      .map(([alias, module]) => `import * as ${alias} from '${module}';\n`)
      .join('');
  }

  #class(symbol: ts.Symbol): void {
    const declaration = symbol.valueDeclaration as ts.ClassDeclaration;
    const members = declaration.members.filter(({ name }) => name !== undefined && !ts.isPrivateIdentifier(name));
    const isStatic = (member: ts.ClassElement) => ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static;
    const ownMembers = members.filter((member) => !isStatic(member)).map((member) => this.#symbolOf(member));
    const statics = members.filter(isStatic).map((member) => this.#symbolOf(member));
    const implemented = (declaration.heritageClauses ?? [])
      .filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword)
      .flatMap(({ types }) => types.map((type) => this.#types.nameOf(this.#checker.getTypeAtLocation(type).symbol)!));
    const isConstruct = declaration.heritageClauses?.some(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
    const body = isConstruct ? this.#constructBody(symbol) : this.#factories(symbol.name, statics);
    const functions = ownMembers.find(({ name }) => name === 'functions');
    if (functions !== undefined) body.push(...this.#functionMembers(functions));
    this.#bases.push(this.#base(symbol.name, isConstruct === true, ownMembers));
    const heads = implemented.length === 0 ? '' : ` implements ${implemented.join(', ')}`;
    this.#classes.push(
      `${this.#types.comment(symbol)}export class ${symbol.name} extends _${symbol.name}${heads} {\n${body.join('\n\n')}\n}\n`,
    );
  }

  #symbolOf = (member: ts.ClassElement) => this.#checker.getSymbolAtLocation(member.name!)!;

  /** The base of a class of the face: a leading underscore and `@internal` make jsii take its members into that class. */
  #base(name: string, isConstruct: boolean, members: readonly ts.Symbol[]): string {
    const rows = members.map((member) => {
      if (member.name === 'functions') return this.#functionsBySuffix(member);
      return member.flags & ts.SymbolFlags.Method ? this.#method(member) : this.#types.property(member);
    });
    const head = isConstruct
      ? ' extends Construct {\n  constructor(scope: Construct, id: string, props: any);'
      : ' {\n  protected constructor();';
    return `/** @internal */\nexport declare class _${name}${head}\n\n${rows.join('\n\n')}\n}\n`;
  }

  #method(member: ts.Symbol): string {
    const [signature] = this.#checker.getTypeOfSymbol(member).getCallSignatures();
    const returned = this.#types.text(signature!.getReturnType(), member.name);
    return `${this.#types.comment(member, '  ')}  ${member.name}(${this.#types.parameters(signature!)}): ${returned};`;
  }

  #constructBody({ name }: ts.Symbol): string[] {
    const read = `(_${name} as any).readConfiguration(file)`;
    return [
      `  /** Props from a YAML or JSON file with the keys of docs/CONFIGURATION.md. ${ignore} */
  public static readConfiguration(file: string): ${name}Props {
    return ${read};
  }`,
      `  /** From a YAML or JSON file with the keys of docs/CONFIGURATION.md. */
  public static fromConfiguration(scope: Construct, id: string, file: string): ${name} {
    return new ${name}(scope, id, ${read});
  }`,
      `  constructor(scope: Construct, id: string, props: ${name}Props) {
    super(scope, id, props);
  }`,
    ];
  }

  /** Static methods whose result is of the class of the face. */
  #factories(name: string, statics: readonly ts.Symbol[]): string[] {
    const methods = statics.map((member) => {
      const [signature] = this.#checker.getTypeOfSymbol(member).getCallSignatures();
      const given = signature!.parameters.map((parameter) => parameter.name).join(', ');
      return `${this.#types.comment(member, '  ')}  public static ${member.name}(${this.#types.parameters(signature!)}): ${name} {
    return Object.setPrototypeOf((_${name} as any).${member.name}(${given}), ${name}.prototype);
  }`;
    });
    return [...methods, '  private constructor() {\n    super();\n  }'];
  }

  #functionsBySuffix(symbol: ts.Symbol): string {
    const [first] = this.#checker.getPropertiesOfType(this.#checker.getTypeOfSymbol(symbol));
    const of = this.#types.text(this.#checker.getTypeOfSymbol(first!), symbol.name);
    return `${this.#types.comment(symbol, '  ', ignore)}  readonly functions: FunctionsBySuffix<${of}>;`;
  }

  /** Functions by suffix are for TypeScript; for the other languages, which know no names in snake_case, each is a member. */
  #functionMembers(symbol: ts.Symbol): string[] {
    return this.#checker.getPropertiesOfType(this.#checker.getTypeOfSymbol(symbol)).map((member) => {
      const returned = this.#types.text(this.#checker.getTypeOfSymbol(member), member.name);
      const [words, orNothing] = isOptional(member) ? [', if there is one', ' | undefined'] : ['', ''];
      return `  /** The function \`${member.name}\`${words}. */
  public get ${camelCase(member.name)}Function(): ${returned}${orNothing} {
    return this.functions.${member.name};
  }`;
    });
  }

  /** The declaration of what only TypeScript has. */
  #declaration(symbol: ts.Symbol): string {
    const shown = (type: ts.Type) =>
      this.#checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias);
    const comment = this.#types.comment(symbol, '', ignore);
    const { name, flags } = symbol;
    const declared = this.#checker.getDeclaredTypeOfSymbol(symbol);
    if (flags & ts.SymbolFlags.TypeAlias) {
      const { typeParameters } = symbol.declarations![0] as ts.TypeAliasDeclaration;
      const generic = typeParameters === undefined ? '' : `<${typeParameters.map((one) => one.getText()).join(', ')}>`;
      return `${comment}export type ${name}${generic} = ${shown(declared)};\n`;
    }
    if (!(flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)))
      return `${comment}export declare const ${name}: ${shown(this.#checker.getTypeOfSymbol(symbol))};\n`;
    const isError = flags & ts.SymbolFlags.Class;
    const rows = this.#checker
      .getPropertiesOfType(declared)
      .filter(({ declarations }) => !/\/typescript\/lib\//.test(declarations![0]!.getSourceFile().fileName))
      .map((member) => `  readonly ${member.name}: ${shown(this.#checker.getTypeOfSymbol(member))};`);
    return `${comment}export ${isError ? 'declare class' : 'interface'} ${name}${isError ? ' extends Error' : ''} {\n${rows.join('\n')}\n}\n`;
  }
}

const nameOfClass = (text: string) => /export class (\w+)/.exec(text)![1]!;
