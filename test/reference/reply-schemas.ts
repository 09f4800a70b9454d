// The schemas of the control plane's replies, made of the types that `types.ts` exports beside its routes: what a member is for is
// its comment there.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from '@typescript/typescript6'

type JsonSchema = Readonly<Record<string, unknown>>

const ROOT = join(import.meta.dirname, '../..')

/** The folders with routes of the control plane, and the types of their replies in `types.ts`. */
export const REPLY_FOLDERS: readonly string[] = [
  'src/http/control',
  ...readdirSync(join(ROOT, 'src/wings'))
    .map(name => `src/wings/${name}`)
    .filter(folder => existsSync(join(ROOT, folder, 'types.ts'))),
]

/** Types that say more than TypeScript checks, by name. */
const NAMED: Readonly<Record<string, JsonSchema>> = {
  DateTime: { type: 'string', format: 'date-time' },
  Fraction: { type: 'number' },
  Milliseconds: { type: ['number', 'null'], minimum: 0 },
  Json: {},
  JsonObject: { type: 'object' },
  FaultSpec: { type: 'object', description: 'The fault to inject, written as `fault` in gateway.yaml.' },
  Schema: { type: ['object', 'boolean'], description: 'JSON Schema 2020-12, with all that it refers to.' },
}

/** Returns the schemas by name: those that the routes in a folder refer to, and those that these refer to. */
export function describeReplies(folder: string): string {
  const types = join(ROOT, folder, 'types.ts')
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, types: [] },
    ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, lib: ['lib.es2023.d.ts'] },
  }
  const host = ts.createCompilerHost(options)
  // No reply has a type of a package, and reading those takes seconds.
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      const resolvedFileName = join(from, '..', text)
      const found = text.startsWith('.') && { resolvedFileName, extension: ts.Extension.Ts }
      return { resolvedModule: found || undefined }
    })
  const program = ts.createProgram([types], options, host)
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(types)
  const module = file && checker.getSymbolAtLocation(file)
  if (module === undefined) throw new Error(`${types} exports nothing`)
  const exported = new Map(checker.getExportsOfModule(module).map(one => [one.name, one]))
  const schemas: Record<string, JsonSchema> = {}

  function refer(name: string, type: ts.Type): JsonSchema {
    if (schemas[name] === undefined) {
      schemas[name] = {}
      schemas[name] = objectOf(type)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function objectOf(type: ts.Type, node?: ts.TypeNode): JsonSchema {
    const members = checker.getPropertiesOfType(type).map(symbol => {
      const [declaration] = symbol.declarations ?? []
      const own = checker.getTypeOfSymbol(symbol)
      const node = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined
      const description = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll('\n', ' ')
      const mayLack = (symbol.flags & ts.SymbolFlags.Optional) !== 0 || typesIn(own).some(isUndefined)
      return { name: symbol.name, mayLack, schema: { ...schemaOf(own, node), ...(description && { description }) } }
    })
    const values = checker.getIndexTypeOfType(type, ts.IndexKind.String)
    return {
      type: 'object',
      ...(members.length > 0 && {
        required: members.flatMap(({ name, mayLack }) => (mayLack ? [] : [name])),
        properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
      }),
      ...(members.length > 0 || values
        ? { additionalProperties: values ? schemaOf(values, node && memberOf(node)) : false }
        : {}),
    }
  }

  function schemaOf(type: ts.Type, node?: ts.TypeNode): JsonSchema {
    const named = node && namedIn(node)
    if (named !== undefined) return named
    if (hasFlag(type, ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {}
    if (type.isUnion()) return unionOf(type, node)
    if (type.isLiteral()) return { const: type.value }
    if (hasFlag(type, ts.TypeFlags.BooleanLiteral)) return { const: checker.typeToString(type) === 'true' }
    for (const [flag, word] of WORDS) if (hasFlag(type, flag)) return { type: word }
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type as ts.TypeReference)
      return { type: 'array', items: schemaOf(item as ts.Type, node && itemOf(node)) }
    }
    const name = (type.aliasSymbol ?? type.getSymbol())?.name ?? ''
    if (NAMED[name] !== undefined) return NAMED[name]
    return type.isClassOrInterface() || exported.has(name) ? refer(name, type) : objectOf(type, node)
  }

  function unionOf(type: ts.UnionType, node?: ts.TypeNode): JsonSchema {
    const some = type.types.filter(one => !isUndefined(one))
    const isNull = (one: ts.Type) => hasFlag(one, ts.TypeFlags.Null)
    const others = some.filter(one => !isNull(one))
    const nodes = node && ts.isUnionTypeNode(node) ? node.types.filter(one => !isNothing(one)) : node && [node]
    const [only] = nodes ?? []
    if (others.every(one => hasFlag(one, ts.TypeFlags.BooleanLiteral)) && others.length === 2)
      return orNull({ type: 'boolean' }, some.length > 2)
    if (others.every(one => one.isLiteral()) && others.length > 1) {
      // The compiler orders the types of a union by their first use anywhere.
      const values = others.map(one => (one as ts.LiteralType).value).sort()
      return { enum: [...values, ...(some.some(isNull) ? [null] : [])] }
    }
    const alternatives = others.length === 1 ? [schemaOf(others[0] as ts.Type, only)] : others.map(one => schemaOf(one))
    const [first] = alternatives
    if (alternatives.length === 1) return orNull(first as JsonSchema, some.some(isNull))
    const words = alternatives.map(one => (Object.keys(one).join() === 'type' ? one.type : undefined))
    if (!words.includes(undefined)) return { type: [...new Set(words)] }
    return { anyOf: [...alternatives, ...(some.some(isNull) ? [{ type: 'null' }] : [])] }
  }

  /** A type of `NAMED` keeps its name only where it is written. */
  function namedIn(node: ts.TypeNode): JsonSchema | undefined {
    return ts.isTypeReferenceNode(node) ? NAMED[node.typeName.getText()] : undefined
  }

  for (const name of namesInRoutes(join(ROOT, folder))) {
    const symbol = exported.get(name)
    if (symbol === undefined) throw new Error(`${types} does not export ${name}, which a route refers to`)
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    refer(name, checker.getDeclaredTypeOfSymbol(target))
  }
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
  return `${JSON.stringify(sorted, null, 2)}\n`
}

const WORDS = [
  [ts.TypeFlags.String, 'string'],
  [ts.TypeFlags.Number | ts.TypeFlags.BigInt, 'integer'],
  [ts.TypeFlags.Null, 'null'],
] as const

const hasFlag = (type: ts.Type, flag: ts.TypeFlags): boolean => (type.flags & flag) !== 0
const isUndefined = (type: ts.Type): boolean => hasFlag(type, ts.TypeFlags.Undefined)
const typesIn = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type])

const isNothing = (node: ts.TypeNode): boolean => /^(?:undefined|null)$/.test(node.getText())

const orNull = (schema: JsonSchema, isNull: boolean): JsonSchema => {
  if (!isNull) return schema
  return typeof schema.type === 'string' && schema.properties === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] }
}

function itemOf(node: ts.TypeNode): ts.TypeNode | undefined {
  if (ts.isTypeOperatorNode(node)) return itemOf(node.type)
  return ts.isArrayTypeNode(node) ? node.elementType : undefined
}

/** Returns `Value` of `Readonly<Record<string, Value>>`. */
function memberOf(node: ts.TypeNode): ts.TypeNode | undefined {
  const last = ts.isTypeReferenceNode(node) ? node.typeArguments?.at(-1) : undefined
  return last && /^Readonly</.test(node.getText()) ? memberOf(last) : last
}

/** Returns the names that routes give to `shape`, or take from the schemas themselves. */
function namesInRoutes(folder: string): string[] {
  const texts = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
  return texts.flatMap(text =>
    [...text.matchAll(/\b(?:shape\('|schemas\.(?=[A-Z]))(\w+)/g)].map(([, name]) => name as string),
  )
}
