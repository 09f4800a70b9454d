// The expression language of rules and templates: CEL (Common Expression Language, cel.dev). The door to the library.

import { type Context, Environment } from '@marcbachmann/cel-js'
import { nearest, suggest } from '../kernel/diagnostic.ts'
import type { Json } from '../kernel/json.ts'
import type { Moment } from '../world/clock.ts'
import { matchesLinearly } from './linear-match.ts'
import { Records, RequestRoot, Roots, type Scope, ScopeRoot, WorldRoot } from './scope.ts'
import { boundSteps, containRejections, isNode, nodesOf, resetSteps, type SyntaxNode } from './syntax-tree.ts'
import { type ExpressionType, fieldsOf, type RequestTypes } from './types.ts'
import { toExpression, toJson } from './values.ts'

/** A mistake in an expression. `start` and `end` count characters of its text. */
export interface Mistake {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
  readonly start: number
  readonly end: number
}

/** A name that an expression refers to: `calls("payOrder")`. */
export interface NamedReference {
  readonly kind: 'operation' | 'resource' | 'schema'
  readonly name: string
  readonly start: number
  readonly end: number
}

export interface Expression {
  readonly text: string
  /** The type of its value, if it is known at load: `string`, `int`, `double`, `bool`, `list`, `map`, `dyn` … */
  readonly type: string
  /** The parts that the expression reads: `request.body`, `nth`, `consumer` … */
  readonly roots: ReadonlySet<string>
  readonly references: readonly NamedReference[]
  /** Whether it is true whatever the request. */
  readonly constant: boolean
  /** Its value. Throws an `ExpressionFailure`, or rejects with one. */
  evaluate(scope: Scope): Json | Promise<Json>
  /** Whether it is true. An expression that fails is not: a field that a request lacks is an ordinary case. */
  holds(scope: Scope): boolean | Promise<boolean>
}

/** An expression that could not be evaluated for a request. Its message is for people. */
export class ExpressionFailure extends Error {
  override readonly name = 'ExpressionFailure'
}

/** The result of an expression may have this many characters as JSON. */
const LONGEST_RESULT = 1_000_000

/** Functions that read the request or its world, and the kind of name that their one argument is. */
const SCOPED: Readonly<Record<string, NamedReference['kind'] | undefined>> = {
  calls: 'operation',
  records: 'resource',
  record: 'resource',
  draw: undefined,
  uuid: undefined,
  sample: 'schema',
}

/** The variable that holds the scope itself; see `Roots`. */
const HIDDEN = '_scope'

const ROOTS = ['request', 'consumer', 'operation', 'now', 'ordinal', 'nth', 'world']
const REQUEST = ['method', 'path', 'params', 'query', 'headers', 'cookies', 'body']

const UNTYPED: RequestTypes = { params: 'dyn', query: 'dyn', cookies: 'dyn', body: 'dyn' }

/** The library's name of a type. */
const nameOf = (type: ExpressionType): string => {
  if (type === 'timestamp') return 'google.protobuf.Timestamp'
  if (typeof type === 'string') return type
  if ('list' in type) return `list<${nameOf(type.list)}>`
  return 'map' in type ? `map<string, ${nameOf(type.map)}>` : 'map'
}

type ObjectSchema = { readonly [name: string]: string | ObjectSchema }

/** The library's form of an object's fields. */
const schemaOf = (fields: Readonly<Record<string, ExpressionType>>): ObjectSchema =>
  Object.fromEntries(
    Object.entries(fields).map(([name, type]) => {
      const inner = fieldsOf(type)
      return [name, inner === undefined ? nameOf(type) : schemaOf(inner)]
    }),
  )

const OPTIONS = {
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxAstNodes: 2000, maxDepth: 50 },
} as const

/** The environment without the root `request`, which is typed for each operation. */
function commonEnvironment(): Environment {
  const environment = new Environment(OPTIONS)
    .registerType('World', { ctor: WorldRoot, fields: { name: 'string' } })
    .registerType('Scope', { ctor: ScopeRoot, fields: {} })
    .registerType('Records', { ctor: Records, fields: {} })
    .registerVariable(HIDDEN, 'Scope')
    .registerVariable('consumer', 'string')
    .registerVariable('operation', 'string')
    .registerVariable('now', 'google.protobuf.Timestamp')
    .registerVariable('ordinal', 'int')
    .registerVariable('nth', 'int')
    .registerVariable('world', 'World')
  const sync = { async: false } as never
  const add = (signature: string, handler: (...values: never[]) => unknown, isAsync = false) =>
    environment.registerFunction(signature, handler as never, isAsync ? undefined : sync)
  add('calls(Scope, string): int', ({ given }: ScopeRoot, name: string) => BigInt(given.calls(name)))
  add('draw(Scope, string): double', ({ given }: ScopeRoot, purpose: string) => given.draw(purpose))
  add('uuid(Scope): string', ({ given }: ScopeRoot) => given.uuid())
  add('sample(Scope, string): dyn', ({ given }: ScopeRoot, name: string) => toExpression(given.sample(name)))
  add('records(Scope, string): Records', ({ given }: ScopeRoot, name: string) => new Records(given, name))
  add('Records.size(): int', async (records: Records) => BigInt(await records.size()), true)
  const record = async ({ given }: ScopeRoot, name: string, id: unknown) => {
    const found = await given.record(name, toJson(id))
    if (found === undefined) throw new ExpressionFailure(`there is no record ${String(id)} in ${name}`)
    return toExpression(found)
  }
  add('record(Scope, string, dyn): dyn', record, true)
  add('string.linearMatches(string): bool', matchesLinearly)
  add('string(google.protobuf.Timestamp): string', (time: Moment) => time.toISOString())
  add('int(google.protobuf.Timestamp): int', (time: Moment) => BigInt(Math.floor(time.getTime() / 1000)))
  // JSON does not tell 1 from 1.0, so that integers and decimals must mix.
  for (const [operator, calculate] of Object.entries(MIXED)) {
    environment.registerOperator(`double ${operator} int`, ((a: number, b: bigint) => calculate(a, Number(b))) as never)
    environment.registerOperator(`int ${operator} double`, ((a: bigint, b: number) => calculate(Number(a), b)) as never)
  }
  return environment
}

const MIXED: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
}

let prepared: { readonly common: Environment; readonly runtime: Environment } | undefined

/** Made on first use: most configurations have no expressions. */
function environments() {
  if (prepared === undefined) {
    const common = commonEnvironment()
    const fields = { method: 'string', path: 'string', params: 'dyn', query: 'dyn', cookies: 'dyn', body: 'dyn' }
    const runtime = common
      .clone()
      .registerType('Request', { ctor: RequestRoot, fields: { ...fields, headers: 'map<string, string>' } })
      .registerVariable('request', 'Request')
    prepared = { common, runtime }
  }
  return prepared
}

/** Compiles expressions for one operation. */
export class Language {
  readonly #types: RequestTypes
  #checker: Environment | undefined

  constructor(types: RequestTypes = UNTYPED) {
    this.#types = types
  }

  /** The expression, or its first mistake. `want` is what its value must be. */
  compile(text: string, want: 'bool' | 'any'): Expression | Mistake {
    if (text.trim() === '') return mistake(text, 'empty-expression', 'the expression is empty')
    const checker = this.#checkerOf()
    let references: readonly NamedReference[]
    let roots: Set<string>
    let typed: string
    try {
      const parsed = checker.parse(text)
      const tree = parsed.ast as unknown as SyntaxNode
      const hidden = [...nodesOf(tree)].find(({ op, args }) => op === 'id' && args === HIDDEN)
      if (hidden !== undefined) return unknownRoot(HIDDEN, hidden)
      const named = referencesIn(tree)
      if (!Array.isArray(named)) return named as Mistake
      references = named
      roots = rootsIn(tree)
      adapt(tree, checker)
      const { valid, type, error } = parsed.check()
      if (!valid) return this.#explain(error as unknown as LibraryError, text)
      typed = type as string
      if (want === 'bool' && type !== 'bool' && type !== 'dyn') {
        return mistake(text, 'no-condition', `a condition must be true or false, not ${articled(type as string)}`)
      }
    } catch (error) {
      return this.#explain(error as LibraryError, text)
    }
    const { runtime } = environments()
    const run = runtime.parse(text)
    const tree = run.ast as unknown as SyntaxNode
    adapt(tree, runtime)
    run.check()
    boundSteps(tree)
    containRejections(tree, isAsynchronous)
    return {
      text,
      type: typed,
      roots,
      references,
      constant: roots.size === 0 && references.length === 0 && ![...nodesOf(tree)].some(isScopedCall),
      evaluate: scope => evaluate(run, scope),
      holds: scope => holds(run, scope),
    }
  }

  #checkerOf(): Environment {
    if (this.#checker === undefined) {
      const { params, query, cookies, body } = this.#types
      const fields = { method: 'string', path: 'string', headers: { map: 'string' }, params, query, cookies, body }
      const schema = schemaOf(fields as Readonly<Record<string, ExpressionType>>)
      this.#checker = environments()
        .common.clone()
        .registerVariable({ name: 'request', schema } as never)
    }
    return this.#checker
  }

  /** Describes a mistake that the library found, and suggests the closest name for a misspelt one. */
  #explain(error: LibraryError, text: string): Mistake {
    const { code, summary = String(error.message), range = { start: 0, end: text.length }, node } = error
    const at = { start: range.start, end: Math.max(range.end, range.start + 1) }
    if (code === 'unknown_variable') {
      return unknownRoot(text.slice(at.start, at.end), at)
    }
    if (code === 'no_such_key') {
      const name = /No such key: (.*)/s.exec(summary)?.[1] ?? ''
      const path = node === undefined ? '' : pathOf(operand(node, 0))
      const fields = Object.keys(this.#fieldsAt(path) ?? {})
      const end = text.indexOf(name, at.start) >= 0 ? text.indexOf(name, at.start) + name.length : at.end
      const start = Math.max(at.start, end - name.length)
      return { code: 'unknown-field', message: `${path} has no "${name}"`, hint: suggest(name, fields), start, end }
    }
    const called = /^found no matching overload for '(?:[^'(]*\.)?(\w+)\(/.exec(summary)?.[1]
    if (code === 'no_matching_overload' && called !== undefined && !FUNCTIONS.has(called)) {
      const near = nearest(called, FUNCTIONS)
      const hint = near === undefined ? undefined : `did you mean "${near}"?`
      return { code: 'unknown-function', message: `there is no function "${called}"`, hint, ...at }
    }
    return { code: 'invalid-expression', message: plain(summary), hint: undefined, ...at }
  }

  #fieldsAt(path: string): Readonly<Record<string, unknown>> | undefined {
    const [root, part, ...rest] = path.split('.')
    if (root !== 'request') return undefined
    if (part === undefined) return Object.fromEntries(REQUEST.map(name => [name, 'dyn']))
    let type = (this.#types as unknown as Record<string, ExpressionType | undefined>)[part]
    for (const name of rest) type = fieldsOf(type)?.[name]
    return fieldsOf(type)
  }
}

/** Functions of the language, for a misspelt one. */
const FUNCTIONS = new Set([
  ...Object.keys(SCOPED),
  ...['size', 'contains', 'startsWith', 'endsWith', 'matches', 'lowerAscii', 'upperAscii', 'trim', 'split', 'join'],
  ...['indexOf', 'substring', 'int', 'double', 'string', 'bool', 'timestamp', 'duration', 'has', 'all', 'exists'],
  ...['exists_one', 'map', 'filter', 'linearMatches', 'getHours', 'getFullYear', 'getMonth', 'getDayOfWeek', 'orValue'],
])

interface LibraryError extends Error {
  readonly code?: string
  readonly summary?: string
  readonly range?: { readonly start: number; readonly end: number }
  readonly node?: SyntaxNode
}

const mistake = (text: string, code: string, message: string, hint?: string): Mistake => ({
  code,
  message,
  hint,
  start: 0,
  end: text.length,
})

const unknownRoot = (name: string, { start, end }: { start: number; end: number }): Mistake => {
  const hint = suggest(name, [...ROOTS, ...Object.keys(SCOPED)])
  return { code: 'unknown-root', message: `unknown name "${name}" in an expression`, hint, start, end }
}

const articled = (type: string): string => (type === 'int' ? 'an integer' : `a ${type.split('.').at(-1)}`)

const TOKENS: Readonly<Record<string, string>> = {
  RPAREN: '")"',
  LPAREN: '"("',
  RBRACKET: '"]"',
  RBRACE: '"}"',
  COLON: '":"',
  COMMA: '","',
  DOT: '"."',
}

/** Removes the parts of the library's message that the user did not write. */
const plain = (summary: string): string => {
  const text = summary
    .replace(/^(?:Unexpected token: EOF|Expected \w+, got EOF)$/, 'the expression is incomplete')
    .replace(/\b(?:RPAREN|LPAREN|RBRACKET|RBRACE|COLON|COMMA|DOT)\b/g, token => TOKENS[token] as string)
    .replaceAll('linearMatches', 'matches')
    .replaceAll(/\(Scope(?:, )?/g, '(')
    .replaceAll('google.protobuf.', '')
    .replaceAll('$request', 'request')
  return text.charAt(0).toLowerCase() + text.slice(1)
}

const isScopedCall = (node: SyntaxNode): boolean =>
  node.op === 'call' && Object.hasOwn(SCOPED, String(operand(node, 0)))

/** Whether a call looks at records, which may take a while. */
const isAsynchronous = (node: SyntaxNode): boolean =>
  node.op === 'call' && ['record', 'records'].includes(String(operand(node, 0)))

/**
 * Prepares a parsed expression: `matches` runs on a linear-time engine, and the functions that look at the request get
 * it as their first argument.
 */
function adapt(tree: SyntaxNode, environment: Environment): void {
  for (const node of nodesOf(tree)) {
    const operands = node.args as unknown[]
    if (node.op === 'rcall' && operands[0] === 'matches') operands[0] = 'linearMatches'
    if (isScopedCall(node)) (operands[1] as unknown[]).unshift(environment.parse(HIDDEN).ast)
  }
}

/** The names that functions refer to. They must be literal, so that a misspelt one is found at load. */
function referencesIn(tree: SyntaxNode): readonly NamedReference[] | Mistake {
  const out: NamedReference[] = []
  for (const node of nodesOf(tree)) {
    if (!isScopedCall(node)) continue
    const name = operand(node, 0) as string
    const kind = SCOPED[name]
    const first = (operand(node, 1) as SyntaxNode[])[0]
    if (kind === undefined || first === undefined) continue
    const { start, end } = first
    if (first.op !== 'value' || typeof first.args !== 'string') {
      const message = `${name}() takes the name of ${kind === 'operation' ? 'an' : 'a'} ${kind} in quotes`
      return { code: 'invalid-expression', message, hint: undefined, start, end }
    }
    out.push({ kind, name: first.args, start, end })
  }
  return out
}

/** The roots that an expression looks at; of `request`, which part. */
function rootsIn(tree: SyntaxNode): Set<string> {
  const roots = new Set<string>()
  for (const node of nodesOf(tree)) {
    if (node.op === 'id' && ROOTS.includes(String(node.args)) && node.args !== 'request') roots.add(String(node.args))
    const left = ACCESS.has(node.op) ? operand(node, 0) : undefined
    if (isNode(left) && left.op === 'id' && left.args === 'request') roots.add(`request.${keyOf(node)}`)
  }
  return roots
}

/** `request.body.address` for the node of it. */
function pathOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.op === 'id') return String(node.args)
  return ACCESS.has(node.op) ? `${pathOf(operand(node, 0))}.${keyOf(node)}` : ''
}

const ACCESS = new Set(['.', '.?', '[]', '[?]'])

const operand = (node: SyntaxNode, index: number): unknown => (node.args as readonly unknown[])[index]

/** The field that an access names: `name` in `a.name` and in `a["name"]`. */
function keyOf(node: SyntaxNode): string {
  const key = operand(node, 1)
  return String(isNode(key) ? key.args : key)
}

type RunExpression = (context?: Context) => unknown

/** Evaluates, and returns the library's value. */
function runQuietly(run: RunExpression, scope: Scope): unknown {
  // A failure is an ordinary outcome. Its stack is never read and would cost four times the evaluation.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  resetSteps()
  try {
    return run(new Roots(scope) as unknown as Context)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function evaluate(run: RunExpression, scope: Scope): Json | Promise<Json> {
  try {
    const value = runQuietly(run, scope)
    if (!(value instanceof Promise)) return bounded(value)
    return value.then(bounded).catch(error => {
      throw failureOf(error)
    })
  } catch (error) {
    throw failureOf(error)
  }
}

function holds(run: RunExpression, scope: Scope): boolean | Promise<boolean> {
  const failed = (error: unknown): false => {
    if (isOutage(error)) throw error
    return false
  }
  try {
    const value = runQuietly(run, scope)
    return value instanceof Promise ? value.then(result => result === true, failed) : value === true
  } catch (error) {
    return failed(error)
  }
}

/** Returns whether the state was unavailable. The error is then passed on, because the expression did not cause it. */
const isOutage = (error: unknown): boolean =>
  !(error instanceof ExpressionFailure || error instanceof RangeError || error instanceof TypeError) &&
  (error as LibraryError).code === undefined

const failureOf = (error: unknown): unknown => {
  if (isOutage(error) || error instanceof ExpressionFailure) return error
  // The library reads any property of a timestamp or a duration, `now.__proto__` too, and stumbles over what it gets.
  if (error instanceof TypeError && !('code' in error))
    return new ExpressionFailure('the value does not have this field')
  const { summary, message } = error as LibraryError
  return new ExpressionFailure(plain(summary ?? message))
}

function bounded(value: unknown): Json {
  const json = toJson(value)
  if (typeof json === 'boolean' || typeof json === 'number' || json === null) return json
  const length = typeof json === 'string' ? json.length : lengthOf(json)
  if (length <= LONGEST_RESULT) return json
  throw new ExpressionFailure(`the result has more than ${LONGEST_RESULT} characters`)
}

/** About how many characters a value takes as JSON; stops counting above the bound. */
function lengthOf(value: Json): number {
  let length = 0
  const add = (one: Json): void => {
    if (length > LONGEST_RESULT) return
    length += typeof one === 'string' ? one.length + 2 : 6
    if (Array.isArray(one)) one.forEach(add)
    else if (one !== null && typeof one === 'object') {
      for (const [name, member] of Object.entries(one)) {
        length += name.length
        add(member as Json)
      }
    }
  }
  add(value)
  return length
}
