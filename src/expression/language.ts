// The expression language of rules and templates: CEL (Common Expression Language, cel.dev). The door to its library.

import { Environment } from '@marcbachmann/cel-js'
import { type Json, mapValues, stringifyJson } from '../kernel/json.ts'
import { EARLIEST, LATEST, type Moment, momentOf, parseDate } from '../world/dates.ts'
import { boundEvaluator, boundWork, chargeTo, matchesLinearly, spendOnConversion, spendOnSample } from './costs.ts'
import {
  type Expression,
  ExpressionFailure,
  type ExpressionType,
  type Mistake,
  memberTypes,
  Records,
  RequestRoot,
  type RequestTypes,
  Roots,
  type RootTypes,
  type Scope,
  ScopeRoot,
  toExpression,
  toJson,
} from './scope.ts'
import {
  articled,
  explain,
  isScopedCall,
  type LibraryError,
  mistake,
  namedReferences,
  nodesOf,
  plainWords,
  rootsIn,
  type SyntaxNode,
  unknownRoot,
} from './syntax-tree.ts'

/** The parts of a request that are texts. */
const TEXTS = { method: 'string', path: 'string', text: 'string' } as const

export const UNTYPED: RequestTypes = { params: 'dyn', query: 'dyn', cookies: 'dyn', body: 'dyn' }

/** Advises the author of an expression. */
export interface ExpressionAdvice {
  /** Returns what is doubtful in a valid expression. */
  doubtsIn(tree: SyntaxNode, text: string): readonly Mistake[]
  /** Returns the mistake of an invalid expression in better words, or as it is. */
  explain(text: string, mistake: Mistake): Mistake
}

/** Compiles expressions for one operation. */
export class Language {
  readonly #types: RootTypes
  readonly #advice: readonly ExpressionAdvice[]
  readonly #hasChange: boolean
  #checker: Environment | undefined

  /** @param hasChange whether expressions may look at a record `before` and `after` its change */
  constructor(types: RootTypes = UNTYPED, advice: readonly ExpressionAdvice[] = [], hasChange = false) {
    this.#types = types
    this.#advice = advice
    this.#hasChange = hasChange
  }

  /** The expression, or its first mistake. `want` is what its value must be. */
  compile(text: string, want: 'bool' | 'any'): Expression | Mistake {
    if (text.trim() === '') return mistake(text, 'empty-expression', 'the expression is empty')
    this.#checker ??= environmentFor(this.#types, this.#hasChange)
    const checker = this.#checker
    let known: Pick<Expression, 'type' | 'roots' | 'references' | 'doubts'>
    try {
      const parsed = checker.parse(text)
      const tree = parsed.ast as unknown as SyntaxNode
      const hidden = [...nodesOf(tree)].find(({ op, args }) => op === 'id' && args === HIDDEN)
      if (hidden !== undefined) return unknownRoot(HIDDEN, hidden)
      const references = namedReferences(tree)
      if ('code' in references) return references
      const roots = rootsIn(tree)
      adapt(tree, checker)
      const { valid, type, error } = parsed.check()
      if (!valid) throw error
      const impossible = impossibleLiteral(tree, text)
      if (impossible !== undefined) return impossible
      known = {
        type: type as string,
        roots,
        references,
        doubts: this.#advice.flatMap(advice => advice.doubtsIn(tree, text)),
      }
      if (want === 'bool' && type !== 'bool' && type !== 'dyn') {
        return mistake(text, 'no-condition', `a condition must be true or false, not ${articled(known.type)}`)
      }
    } catch (error) {
      const functions = new Set(checker.getDefinitions().functions.map(({ name }) => name))
      const wrong = explain(error as LibraryError, text, this.#types, functions)
      return this.#advice.reduce((mistake, advice) => advice.explain(text, mistake), wrong)
    }
    const { runtime } = environments()
    const run = runtime.parse(text)
    const tree = run.ast as unknown as SyntaxNode
    adapt(tree, runtime)
    run.check()
    boundWork(tree)
    return {
      text,
      ...known,
      constant: known.roots.size === 0 && known.references.length === 0 && ![...nodesOf(tree)].some(isScopedCall),
      evaluate: scope => evaluate(run, scope),
      holds: scope => isTrue(run, scope),
    }
  }
}

/**
 * Prepares a parsed expression: `matches` runs on a linear-time engine, `timestamp` takes dates, and the functions that look
 * at the request get it as their first argument.
 */
function adapt(tree: SyntaxNode, environment: Environment): void {
  for (const node of nodesOf(tree)) {
    const operands = node.args as unknown[]
    if (node.op === 'rcall' && operands[0] === 'matches') {
      const [pattern] = operands[2] as readonly SyntaxNode[]
      operands[0] = pattern?.op === 'value' ? 'literalMatches' : 'linearMatches'
    }
    if (node.op === 'call' && operands[0] === 'timestamp') operands[0] = 'dateTimestamp'
    if (isScopedCall(node)) (operands[1] as unknown[]).unshift(environment.parse(HIDDEN).ast)
  }
}

/** The variable that holds the scope itself; see `Roots`. */
const HIDDEN = '_scope'

/** The library's name of a type. */
const typeName = (type: ExpressionType): string => {
  if (type === 'timestamp') return 'google.protobuf.Timestamp'
  if (typeof type === 'string') return type
  if ('list' in type) return `list<${typeName(type.list)}>`
  return 'map' in type ? `map<string, ${typeName(type.map)}>` : 'map'
}

type ObjectSchema = { readonly [name: string]: string | ObjectSchema }

/** The library's form of an object's fields. It names the type of an inner object after its field, so that only words can be. */
const librarySchema = (fields: Readonly<Record<string, ExpressionType>>): ObjectSchema =>
  mapValues<ExpressionType, string | ObjectSchema>(fields, (type, name) => {
    const inner = memberTypes(type)
    if (inner !== undefined && !/^\w+$/.test(name)) return 'dyn'
    return inner === undefined ? typeName(type) : librarySchema(inner)
  })

const OPTIONS = {
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxAstNodes: 2000, maxDepth: 50 },
} as const

/** The environment without the roots `request`, which is typed for each operation, and `world`. */
function commonEnvironment(): Environment {
  const environment = new Environment(OPTIONS)
    .registerType('Scope', { ctor: ScopeRoot, fields: {} })
    .registerType('Records', { ctor: Records, fields: {} })
    .registerVariable(HIDDEN, 'Scope')
    .registerVariable('consumer', 'string')
    .registerVariable('operation', 'string')
    .registerVariable('now', 'google.protobuf.Timestamp')
    .registerVariable('ordinal', 'int')
    .registerVariable('nth', 'int')
    .registerVariable('accepted', 'int')
  const sync = { async: false } as never
  const add = (signature: string, handler: (...values: never[]) => unknown) =>
    environment.registerFunction(signature, handler as never, sync)
  add('calls(Scope, string): int', ({ given }: ScopeRoot, name: string) => BigInt(given.calls(name)))
  add('scenario(Scope, string): string', ({ given }: ScopeRoot, name: string) => given.scenario(name))
  add('draw(Scope, string): double', ({ given }: ScopeRoot, purpose: string) => given.draw(purpose))
  add('uuid(Scope): string', ({ given }: ScopeRoot) => given.uuid())
  add('sample(Scope, string): dyn', ({ given }: ScopeRoot, name: string) => {
    const made = given.sample(name)
    spendOnSample(stringifyJson(made).length)
    return toExpression(made)
  })
  add('records(Scope, string): Records', ({ given }: ScopeRoot, name: string) => new Records(given, name))
  add('Records.size(): int', (records: Records) => BigInt(records.size()))
  add('record(Scope, string, dyn): dyn', ({ given }: ScopeRoot, name: string, id: unknown) => {
    if (typeof id === 'object') throw new ExpressionFailure('an id is a text or an integer')
    const found = given.record(name, toJson(id))
    if (found === undefined) throw new ExpressionFailure(`there is no record ${String(id)} in ${name}`)
    spendOnConversion(found.length)
    return toExpression(found.value)
  })
  add('string.linearMatches(string): bool', (text: string, pattern: string) => matchesLinearly(text, pattern))
  add('string.literalMatches(string): bool', (text: string, pattern: string) => matchesLinearly(text, pattern, true))
  add('dateTimestamp(string): google.protobuf.Timestamp', (text: string) => momentAt(parseDate(text)))
  add('dateTimestamp(int): google.protobuf.Timestamp', (seconds: bigint) => momentAt(Number(seconds) * 1000))
  add('string(google.protobuf.Timestamp): string', (time: Moment) => time.toISOString())
  add('int(google.protobuf.Timestamp): int', (time: Moment) => BigInt(Math.floor(time.getTime() / 1000)))
  // JSON does not distinguish 1 from 1.0, so integers and decimals must mix.
  for (const [operator, calculate] of Object.entries(MIXED)) {
    environment.registerOperator(`double ${operator} int`, ((a: number, b: bigint) => calculate(a, Number(b))) as never)
    environment.registerOperator(`int ${operator} double`, ((a: bigint, b: number) => calculate(Number(a), b)) as never)
  }
  return environment
}

function momentAt(time: number | undefined): Moment {
  if (time !== undefined && time >= EARLIEST && time <= LATEST) return momentOf(time)
  throw new ExpressionFailure('timestamp() takes a date, as 2030-12-06 or 2030-12-06T10:00:00Z, or seconds since 1970')
}

/** Functions that fail on some texts and numbers, with what to write instead. */
const CONVERSIONS = new Map([
  ['dateTimestamp', 'write timestamp("2030-12-06")'],
  ['duration', 'write duration("15m")'],
  ['int', 'write int("7")'],
  ['uint', 'write uint("7")'],
  ['double', 'write double("7.5")'],
  ['bool', 'write bool("true")'],
])

/** Finds a literal that a conversion always fails on: the condition would never hold. */
function impossibleLiteral(tree: SyntaxNode, text: string): Mistake | undefined {
  for (const node of nodesOf(tree)) {
    const { op, args, start, end } = node
    const [name, values] = (op === 'call' ? args : ['', []]) as readonly [string, readonly SyntaxNode[]]
    if (!CONVERSIONS.has(name) || values.length !== 1 || values[0]?.op !== 'value') continue
    const { runtime } = environments()
    const run = runtime.parse(text.slice(start, end))
    adapt(run.ast as unknown as SyntaxNode, runtime)
    try {
      run()
    } catch (error) {
      return { code: 'invalid-expression', message: failureOf(error).message, hint: CONVERSIONS.get(name), start, end }
    }
  }
  return undefined
}

const MIXED: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
}

/** An environment without `request`, and one with an untyped `request` for evaluating. */
let prepared: { readonly common: Environment; readonly runtime: Environment } | undefined

/** Makes them on first use, because most configurations have no expressions. */
function environments() {
  if (prepared !== undefined) return prepared
  const common = commonEnvironment()
  const fields = { ...UNTYPED, ...TEXTS, headers: 'map<string, string>' }
  const runtime = common
    .clone()
    .registerType('Request', { ctor: RequestRoot, fields: fields as Readonly<Record<string, string>> })
    .registerVariable('request', 'Request')
    .registerVariable('world', 'dyn')
    .registerVariable('record', 'dyn')
    .registerVariable('before', 'dyn')
    .registerVariable('after', 'dyn')
  // The library gives its evaluator to each part of an expression, and nowhere else.
  const first = runtime.parse('true')
  Object.assign(first.ast, { evaluate: boundEvaluator })
  first()
  prepared = { common, runtime }
  return prepared
}

/** Returns an environment in which `request` has the types of an operation, and `record` that of its record. */
function environmentFor({ record, ...types }: RootTypes, hasChange: boolean): Environment {
  const schema = librarySchema({ ...types, ...TEXTS, headers: { map: 'string' } })
  const environment = environments()
    .common.clone()
    .registerVariable({ name: 'request', schema } as never)
    .registerVariable({ name: 'world', schema: { name: 'string' } } as never)
  if (hasChange) environment.registerVariable('before', 'dyn').registerVariable('after', 'dyn')
  if (record === undefined) return environment
  const fields = memberTypes(record)
  if (fields === undefined) return environment.registerVariable('record', typeName(record))
  return environment.registerVariable({ name: 'record', schema: librarySchema(fields) } as never)
}

/** The result of an expression may have this many characters as JSON. */
const LONGEST_RESULT = 1_000_000

/** A parsed expression, as the library evaluates it. */
type RunExpression = (context?: never) => unknown

/** Evaluates, and returns the library's value. */
function runQuietly(run: RunExpression, scope: Scope): unknown {
  // A failure is an ordinary outcome. Its stack is never read and would cost four times the evaluation.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    chargeTo(scope)
    return run(new Roots(scope) as never)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Returns the value. Throws an `ExpressionFailure`. */
function evaluate(run: RunExpression, scope: Scope): Json {
  try {
    return bounded(runQuietly(run, scope))
  } catch (error) {
    throw failureOf(error)
  }
}

/** Returns whether the value is true; a failure counts as false. */
function isTrue(run: RunExpression, scope: Scope): boolean {
  scope.failure = undefined
  try {
    return runQuietly(run, scope) === true
  } catch (error) {
    scope.failure = error
    return false
  }
}

/**
 * Returns why the last condition that was looked at failed; `undefined` if it did not.
 *
 * @param absence whether a part of the request or a record that is missing counts
 */
export const failureIn = ({ failure }: Scope, absence = true): string | undefined =>
  failure === undefined || (!absence && isAbsence(failure)) ? undefined : failureOf(failure).message

const isAbsence = (failure: unknown): boolean =>
  failure instanceof ExpressionFailure || /^no_such_key$|^index_out/.test((failure as LibraryError).code ?? '')

/** Any error is that of the expression: it reads memory, and the library raises errors of many kinds. */
function failureOf(error: unknown): ExpressionFailure {
  if (error instanceof ExpressionFailure) return error
  // The library reads any property of a timestamp or a duration, even `now.__proto__`, and fails on the value.
  if (error instanceof TypeError && !('code' in error))
    return new ExpressionFailure('the value does not have this field')
  const { summary, message } = error as LibraryError
  return new ExpressionFailure(plainWords(summary ?? message))
}

function bounded(value: unknown): Json {
  let left = LONGEST_RESULT
  return toJson(value, characters => {
    left -= characters
    if (left < 0) throw new ExpressionFailure(`the result has more than ${LONGEST_RESULT} characters`)
    spendOnConversion(characters)
  })
}
