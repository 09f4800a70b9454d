// Converts and checks the parameters of a request.

import type { Operation } from '../../contract/contract.ts'
import { compileTexts, type Parameter, splitQuery } from '../../contract/document/parameters.ts'
import type { BrokenRule } from '../../kernel/http.ts'
import type { Violation } from '../../kernel/schema/violations.ts'
import type { Exchange } from '../behaviour.ts'
import { warnOfSlips } from './slips.ts'

/** The settings of `validate` about the query. */
interface QuerySettings {
  readonly invalidQuery?: 'refuse' | 'ignore'
  readonly undocumentedQuery?: 'ignore' | 'refuse'
  readonly queryForms?: 'lenient' | 'standard'
}

/** The broken rules of a request's parameters. */
export interface Broken {
  /** The broken rules of the path, which then identifies no resource. */
  readonly path: readonly BrokenRule[]
  readonly rest: readonly BrokenRule[]
}

type Texts = ReadonlyMap<string, readonly string[]>
const NO_TEXTS: Texts = new Map()
export const NONE: Broken = { path: [], rest: [] }

/**
 * Returns a function that converts and validates the parameters, and stores their values in the exchange; `undefined` if there
 * is nothing to do.
 */
export function compileParameters(
  operation: Operation,
  config: QuerySettings,
): ((exchange: Exchange) => Broken) | undefined {
  const { parameters } = operation
  const strict = config.undocumentedQuery === 'refuse'
  const standard = config.queryForms === 'standard'
  if (parameters.length === 0 && !strict) return undefined
  const readers = parameters.map((parameter, i) => compileReader(parameter, i, operation.path, config))
  const inQuery = parameters.filter(({ in: place }) => place === 'query')
  const known = new Set(inQuery.map(({ name }) => name))
  const isSpelt = (name: string) => inQuery.some(({ otherForm }) => otherForm?.spells(name))
  const isOwned = (name: string) => inQuery.some(one => one.owns(name)) || (!standard && isSpelt(name))
  return exchange => {
    const query = splitQuery(exchange.request.query)
    // A declared parameter is never a property of an exploded object.
    let undocumented: Map<string, readonly string[]> | undefined
    for (const [name, texts] of query) {
      if (known.has(name)) continue
      undocumented ??= new Map()
      undocumented.set(name, texts)
    }
    const values: unknown[] = new Array(parameters.length)
    exchange.values = values
    const path: BrokenRule[] = []
    const rest: BrokenRule[] = []
    for (let i = 0; i < readers.length; i++) {
      const broken = readers[i]?.(exchange, query, undocumented, values)
      if (broken === undefined) continue
      const { name, in: place } = parameters[i] as Parameter
      const rules = place === 'path' ? path : rest
      for (const { pointer, keyword, message } of broken) {
        rules.push({ in: place, path: name + pointer, rule: keyword, message })
      }
    }
    if (exchange.broken && path.length === 0) {
      path.push({ in: 'path', path: '', rule: 'encoding', message: 'has a broken percent-encoding' })
    }
    if (undocumented === undefined) return { path, rest }
    warnOfSlips(exchange, 'query parameter', undocumented.keys(), known, isOwned)
    if (strict || standard) {
      for (const name of undocumented.keys()) {
        if (strict ? isOwned(name) : !isSpelt(name)) continue
        rest.push({ in: 'query', path: name, rule: 'undocumented', message: 'is not documented' })
      }
    }
    return { path, rest }
  }
}

type Faults = readonly Pick<Violation, 'pointer' | 'keyword' | 'message'>[]

/**
 * Stores the value of a parameter among `values`; returns the rules that it breaks.
 *
 * @param undocumented the names of the query that are no parameters
 */
type Read = (exchange: Exchange, query: Texts, undocumented: Texts | undefined, values: unknown[]) => Faults | undefined

const MISSING: Faults = [{ pointer: '', keyword: 'required', message: 'is required' }]

function compileReader(
  parameter: Parameter,
  index: number,
  path: string,
  { invalidQuery, queryForms }: QuerySettings,
): Read {
  const { in: place, required, schema, allowsEmpty } = parameter
  const readTexts = compileTexts(parameter, path)
  const isForgiven = place === 'query' && invalidQuery === 'ignore' && !required
  const isLenient = place === 'query' && queryForms !== 'standard' && parameter.otherForm !== undefined
  const emptyValue = schema.types.has('string') && schema.check('') === undefined ? '' : parameter.default
  return (exchange, query, undocumented, values) => {
    let gathered = parameter.gather?.(undocumented ?? NO_TEXTS)
    const texts = gathered === undefined ? readTexts(exchange, query) : undefined
    const isAbsent = gathered === undefined && (texts === undefined || texts.length === 0)
    if (isLenient && undocumented !== undefined) gathered ??= readOtherForm(parameter, isAbsent, exchange, undocumented)
    if (isAbsent && gathered === undefined) {
      values[index] = parameter.default
      return required ? MISSING : undefined
    }
    if (allowsEmpty && texts?.length === 1 && texts[0] === '') {
      values[index] = emptyValue
      return undefined
    }
    const read = gathered ?? parameter.read(texts as readonly string[])
    const faults =
      'fault' in read ? [{ pointer: '', keyword: 'syntax', message: read.fault }] : schema.check(read.value, read.exact)
    if (faults === undefined) values[index] = (read as { readonly value: unknown }).value
    else if (isForgiven) values[index] = parameter.default
    return isForgiven ? undefined : faults
  }
}

/** Reads a parameter that is absent in the form of the contract and sent in another, and tells the client. */
function readOtherForm({ name, otherForm }: Parameter, isAbsent: boolean, exchange: Exchange, query: Texts) {
  const spelt = [...query.keys()].filter(key => otherForm?.spells(key))
  if (spelt.length === 0) return undefined
  const names = spelt
    .slice(0, 3)
    .map(key => `"${key}"`)
    .join(', ')
  if (!isAbsent) {
    exchange.warn(`the query parameter ${names} was ignored, since "${name}" was sent, too`)
    return undefined
  }
  exchange.warn(`the query parameter ${names} was read as "${name}", which the contract documents in another form`)
  return otherForm?.read(query)
}
