// Refusals in the shape that the operation documents for their status, else in the API's usual one: the fields of its error
// schema, filled by name.
// Uses only the public part of a refusal.

import type { Json } from '../../kernel/json.ts'
import { problemOf, type Refusal } from '../../kernel/problem.ts'
import { type Contract, isJson, type MediaType, type Operation, type ResponseSpec, responseFor } from '../contract.ts'
import { isXml, type Written, writeBody } from './body.ts'
import { ErrorForm } from './error-form.ts'
import { usualError } from './usual-error.ts'

/** A refusal in the contract's shape. */
export interface Shaped extends Written {
  /** Whether the body describes the mistake of this request. */
  readonly told: boolean
}

/** Returns `undefined` if the contract has no suitable shape. */
type ShapeRefusal = (refusal: Refusal) => Shaped | undefined

/** Gives refusals of an operation the shape that it documents; each status is prepared once, on first use. */
export function compileRefusals(operation: Operation, contract?: Contract): ShapeRefusal {
  const forms = new Map<number, ShapeRefusal>()
  return refusal => {
    let form = forms.get(refusal.status)
    if (form === undefined) {
      form = compileForm(operation, refusal.status, contract)
      forms.set(refusal.status, form)
    }
    return form(refusal)
  }
}

const FORMLESS: ShapeRefusal = () => undefined

function compileForm(operation: Operation, status: number, contract: Contract | undefined): ShapeRefusal {
  const documented = responseFor(operation, status)
  const usual = documented === undefined && contract !== undefined && status >= 400
  const response = usual ? usualError(operation, status, contract) : documented
  if (response === undefined) return FORMLESS
  const isSuccess = speaksOfSuccess(operation, response)
  const media = [...response.content]
  const [type, spec] =
    media.find(([name]) => isJson(name)) ??
    media.find(([name]) => isXml(name)) ??
    media.find(([name]) => name.startsWith('text/')) ??
    []
  if (type === undefined || spec === undefined) return FORMLESS
  const { schema } = spec
  const sampler = schema && schema.sampler
  const fits = (value: Json) => schema === undefined || sampler === undefined || sampler.fits(schema.key, value)
  const example = isSuccess ? undefined : spec.examples.find(({ value }) => fits(value))
  // The document's own words for a missing credential are kept.
  if (example !== undefined && status === 401 && !usual) {
    const written: Shaped = { ...writeBody({ value: example.value }, spec, type), told: false }
    return () => written
  }
  const sample = schema && sampler?.sample(schema.key, { seed: status })
  const value = example?.value ?? (sample?.fits === true ? sample.value : undefined)
  if (value === undefined) return FORMLESS
  const own = operation.responses.get(`${status}`) === response ? 'example' : 'elsewhere'
  const words = isSuccess ? 'success' : example === undefined ? 'none' : own
  const form = new ErrorForm({ value, sample: sample?.fits === true ? sample.value : undefined, words, fits })
  return refusal => {
    const { value, told } = form.write(refusal)
    return { ...writeBody({ value }, spec, type), told }
  }
}

/** Without a documented success, `default` describes the success too; a refusal still has to match it. */
const speaksOfSuccess = (operation: Operation, response: ResponseSpec): boolean =>
  response === operation.responses.get('default') &&
  ![...operation.responses.keys()].some(status => /^[1-3](?:\d\d|XX)$/.test(status))

/** Returns a sample of a documented error, with its status and description filled in. */
export function describeError(value: Json, status: number, { description }: ResponseSpec, { schema }: MediaType): Json {
  const sampler = schema && schema.sampler
  if (schema === undefined || sampler === undefined) return value
  const problem = problemOf(status)
  const detail = description.trim().split('\n', 1)[0] || problem.title
  const fits = (next: Json) => sampler.fits(schema.key, next)
  return new ErrorForm({ value, sample: undefined, words: 'shown', fits }).write({ problem, status, detail }).value
}
