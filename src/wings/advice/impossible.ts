// Finds names and values that a request to an operation cannot have: those that are in neither its contract nor its configuration.

import type { ExpressionSite } from '../../behaviours/expressions.ts'
import { type Contract, type MediaType, nodeBelow, type Operation } from '../../contract/contract.ts'
import { describeField, type Field } from '../../contract/schema/field.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { type Json, mapValues } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { hasType } from '../../kernel/schema/keywords.ts'
import type { Doubt, Steps } from './doubts.ts'

const PLACES: Readonly<Record<string, string>> = { params: 'path', query: 'query', cookies: 'cookie' }

/** The names in operations, by the part of a request that has them. */
type RequestNames = Readonly<Record<string, readonly string[]>>

const requestNames = (operations: readonly Operation[]): RequestNames => {
  const parameters = (place: string) =>
    operations.flatMap(one => one.parameters.filter(({ in: at }) => at === place).map(({ name }) => name))
  return {
    ...mapValues(PLACES, parameters),
    operation: operations.map(({ id }) => id),
    'request.method': operations.flatMap(({ method }) => (method === 'GET' ? [method, 'HEAD'] : [method])),
  }
}

/** They are many, and asked for by each operation. */
const allNames = new WeakMap<Contract, RequestNames>()

/** Says of nothing that a request cannot have it. */
export const NO_DOUBT: Doubt = () => undefined

/** Returns what says that a request to an operation, or to some operation, cannot have a value. */
export function doubtOf(site: ExpressionSite, typed: boolean): Doubt {
  const doubts = new RequestDoubts(site, typed)
  return (part, value) => (value === undefined ? doubts.ofExistence(part) : doubts.ofValue(part, value))
}

type Said = ReturnType<Doubt>

class RequestDoubts {
  readonly #site: ExpressionSite
  readonly #typed: boolean

  constructor(site: ExpressionSite, typed: boolean) {
    this.#site = site
    this.#typed = typed
  }

  /** Returns why no request has a part. */
  ofExistence(part: Steps): Said {
    const [, place, name] = part
    if (place === 'headers') return ofHeader(String(name ?? ''))
    if (this.#lacksBody(part)) return this.#ofBody(part)
    // The types of a known operation have the same names.
    const names = this.#typed || part.length !== 3 ? undefined : this.#namesOf(String(place))
    if (names === undefined || names.includes(String(name))) return undefined
    return { message: 'is in no operation', hint: suggest(String(name), new Set(names)) }
  }

  /** Returns why no request has a value in a part. */
  ofValue(part: Steps, value: Json): Said {
    const [root, place, name] = part
    if (place === 'headers') return ofHeader(name === 0 ? String(value) : '')
    if (this.#lacksBody(part)) return this.#ofBody(part)
    const names = this.#namesOf(part.join('.'))
    if (names !== undefined) return among(names, value)
    if (root === 'ordinal' || root === 'nth' || root === 'accepted')
      return (value as number) < 1 ? cannotBe(value, 'it counts from 1') : undefined
    if (root !== 'request' || (!this.#typed && value !== null)) return undefined
    if (place === 'path') return this.#ofPath(value)
    return this.#typed ? this.#ofField(part, value) : this.#ofNull(part)
  }

  #namesOf(part: string): readonly string[] | undefined {
    const { contract, operation, consumers } = this.#site
    if (part === 'consumer') return [...consumers, '']
    if (this.#typed) return requestNames([operation])[part]
    return getOrMake(allNames, contract, () => requestNames(contract.operations))[part]
  }

  #lacksBody([, place]: Steps): boolean {
    return this.#typed && (place === 'body' || place === 'text') && this.#site.operation.body === undefined
  }

  #ofBody(part: Steps): Said {
    const hint = 'use request.query, request.params or request.headers'
    const message = `never exists: ${this.#site.operation.id} documents no body`
    return part.length > 2 ? undefined : { message, hint }
  }

  #ofPath(value: Json): Said {
    const { basePaths, path } = this.#site.operation
    const paths = basePaths.map(base => base + path)
    const patterns = paths.map(template => template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{.*?\}/g, '.+'))
    if (patterns.some(pattern => new RegExp(`^${pattern}$`).test(String(value)))) return undefined
    return cannotBe(value, `it is ${paths.join(' or ')}`)
  }

  #ofField(part: Steps, value: Json): Said {
    const fields = this.#fieldsAt(part, [this.#site.operation])
    const refuses = (field: Field | undefined) =>
      field !== undefined &&
      (field.choices?.includes(value) === false || !field.types.some(type => hasType(value, type))) &&
      !field.allows(value)
    const [field] = fields
    if (field === undefined || !fields.every(refuses)) return undefined
    return field.choices === undefined
      ? cannotBe(value, `its type is ${field.types.join(' or ')}`)
      : among(field.choices, value)
  }

  #ofNull(part: Steps): Said {
    const isSent = this.#fieldsAt(part, this.#site.contract.operations).some(field => field?.allows(null))
    return isSent ? undefined : { message: 'is rarely sent as null; a missing field makes a condition false' }
  }

  /** Returns the fields of some operations at a part; `undefined` for each that is not described. */
  #fieldsAt(part: Steps, operations: readonly Operation[]): readonly (Field | undefined)[] {
    const { contract } = this.#site
    const [, place, name] = part
    const isBody = place === 'body'
    const sources = operations.flatMap((operation): readonly Pick<MediaType, 'schema'>[] =>
      isBody
        ? [...(operation.body?.content.values() ?? [])]
        : operation.parameters.filter(parameter => parameter.in === PLACES[String(place)] && parameter.name === name),
    )
    return sources.map(({ schema }) => {
      const node = schema && nodeBelow(schema.node, part.slice(isBody ? 2 : 3), contract)
      return node && describeField('', contract.use(node))
    })
  }
}

const cannotBe = (value: Json, hint: string | undefined): Said => ({
  message: `cannot be ${JSON.stringify(value)}`,
  hint,
})

function among(known: readonly Json[], value: Json): Said {
  if (known.includes(value)) return undefined
  return cannotBe(value, suggest(String(value), new Set(known.filter(name => name !== '').map(String))))
}

function ofHeader(name: string): Said {
  const lower = name.toLowerCase()
  return name === lower ? undefined : { message: 'has names in lower case only', hint: `write "${lower}"` }
}
