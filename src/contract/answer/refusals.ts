// Refusals in the shape that the operation documents for their status, else in the API's usual one: the fields of its error
// schema, filled by name. Uses only the public part of a refusal.

import { problemOf, type Refusal } from '../../kernel/http.ts'
import type { Json } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { type Contract, type MediaType, type Operation, type ResponseSpec, responseFor } from '../contract.ts'
import { isJson } from '../media-types.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import { isXml, type Written, writeBody } from './body.ts'
import { ErrorForm } from './error-form.ts'

/** A refusal in the contract's shape. */
interface Shaped extends Written {
  /** Whether the body describes the mistake of this request. */
  readonly told: boolean
}

/** Returns `undefined` if the contract has no suitable shape. */
type ShapeRefusal = (refusal: Refusal) => Shaped | undefined

/** Gives refusals of an operation the shape that it documents; each status is prepared once, on first use. */
export function compileRefusals(operation: Operation, contract: Contract): ShapeRefusal {
  const forms = new Map<number, ShapeRefusal>()
  return refusal => {
    const { status } = refusal
    return getOrMake(forms, status, () => shapeFor(operation, status, contract))(refusal)
  }
}

const FORMLESS: ShapeRefusal = () => undefined

function shapeFor(operation: Operation, status: number, contract: Contract): ShapeRefusal {
  const documented = responseFor(operation, status)
  const usual = documented === undefined && status >= 400
  const response = usual ? usualError(operation, status, contract) : documented
  if (response === undefined) return FORMLESS
  const isSuccess = speaksOfSuccess(operation, response)
  const media = [...response.content]
  const isText = (name: string) => name.startsWith('text/')
  const [type, spec] = [isJson, isXml, isText].map(is => media.find(([name]) => is(name))).find(one => one) ?? []
  if (type === undefined || spec === undefined) return FORMLESS
  const { schema } = spec
  const fits = (value: Json) => schema === undefined || schema.fits(value)
  const example = isSuccess ? undefined : spec.examples.find(({ value }) => fits(value))
  // The document's own words for a missing credential are kept.
  if (example !== undefined && status === 401 && !usual) {
    const written: Shaped = { ...writeBody({ value: example.value }, spec, type), told: false }
    return () => written
  }
  const sample = schema?.validSample({ seed: status })
  const value = example?.value ?? sample
  if (value === undefined) return FORMLESS
  const own = operation.responses.get(`${status}`) === response ? 'example' : 'elsewhere'
  const words = isSuccess ? 'success' : example === undefined ? 'none' : own
  const part = schema?.sampler.part(schema.key)
  const form = new ErrorForm({ value, sample, words, part, fits })
  return refusal => {
    const { value, told } = form.write(refusal)
    return { ...writeBody({ value }, spec, type), told }
  }
}

/** Without a documented success, `default` describes the success too; a refusal still has to match it. */
const speaksOfSuccess = (operation: Operation, response: ResponseSpec): boolean =>
  response === operation.responses.get('default') && !documentsNonError(operation)

/** Whether an operation documents a reply that is no error: `default` then describes errors only. */
const documentsNonError = ({ responses }: Operation): boolean => [...responses.keys()].some(key => /^[1-3]/.test(key))

/** Returns a sample of a documented error, with its status and description filled in. */
export function fillInError(value: Json, status: number, { description }: ResponseSpec, { schema }: MediaType): Json {
  if (schema === undefined) return value
  const problem = problemOf(status)
  const detail = description.trim().split('\n', 1)[0] || problem.title
  const form = new ErrorForm({
    value,
    sample: undefined,
    words: 'shown',
    part: undefined,
    fits: next => schema.fits(next),
  })
  return form.write({ problem, status, detail }).value
}

/** Returns the operation's own error nearest to the status, else the one that most operations have; JSON with a schema. */
function usualError(operation: Operation, status: number, contract: Contract): ResponseSpec | undefined {
  const [nearest] = errorsOf(operation).sort(([a], [b]) => distance(a, status) - distance(b, status))
  return nearest?.[1] ?? mostCommon(contract)
}

/** The documented errors with a JSON body; `default` only beside a documented success. */
function errorsOf(operation: Operation): [key: string, response: ResponseSpec][] {
  const succeeds = documentsNonError(operation)
  return [...operation.responses].filter(
    ([key, response]) => (/^[45]/.test(key) || (key === 'default' && succeeds)) && errorSchema(response) !== undefined,
  )
}

/** Returns the distance between two statuses: those of the same hundred are closer than any others. */
function distance(key: string, status: number): number {
  const documented = Number(key.replace('XX', '00'))
  if (Number.isNaN(documented)) return 0
  const sameClass = Math.floor(documented / 100) === Math.floor(status / 100)
  return Math.abs(documented - status) + (sameClass ? 0 : 1000)
}

const commonErrors = new WeakMap<Contract, ResponseSpec | 'none'>()

/** Returns the error that most operations of the contract document; `undefined` if no two operations share one. */
function mostCommon(contract: Contract): ResponseSpec | undefined {
  const common = getOrMake(commonErrors, contract, () => {
    const uses = new Map<string, ResponseSpec[]>()
    for (const operation of contract.operations) {
      // The identity of a schema is the same for every reference to it.
      const identify = (response: ResponseSpec) => contract.identify((errorSchema(response) as SchemaUse).node)
      const once = new Map(errorsOf(operation).map(([, response]) => [identify(response), response]))
      for (const [identity, response] of once) getOrMake(uses, identity, (): ResponseSpec[] => []).push(response)
    }
    const [most = []] = [...uses.values()].sort((a, b) => b.length - a.length)
    return (most.length > 1 ? most[0] : undefined) ?? 'none'
  })
  return common === 'none' ? undefined : common
}

const errorSchema = ({ content }: ResponseSpec): SchemaUse | undefined =>
  [...content].find(([type]) => isJson(type))?.[1].schema
