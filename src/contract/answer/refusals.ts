// Refusals in the shape that the operation documents for their status: the fields of its error schema, filled by name.
// Knows of a refusal only what every client may know.

import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { problemOf, type Refusal } from '../../kernel/problem.ts'
import { isJson, type MediaType, type Operation, type ResponseSpec, responseFor } from '../contract.ts'
import { isXml, type Written, writeBody } from './body.ts'
import { type Place, replaced } from './places.ts'
import { samplerOf } from './sampling.ts'

/** `undefined` where the contract has no shape that fits. */
type Shaped = Written | undefined

/** Gives refusals of an operation the shape that it documents; each status is looked at once, when first refused with. */
export function compileRefusals(operation: Operation): (refusal: Refusal) => Shaped {
  const forms = new Map<number, (refusal: Refusal) => Shaped>()
  return refusal => {
    let form = forms.get(refusal.status)
    if (form === undefined) {
      form = compileForm(operation, refusal.status)
      forms.set(refusal.status, form)
    }
    return form(refusal)
  }
}

const FORMLESS = (): Shaped => undefined

function compileForm(operation: Operation, status: number): (refusal: Refusal) => Shaped {
  const response = responseFor(operation, status)
  if (response === undefined || speaksOfSuccess(operation, response)) return FORMLESS
  const media = [...response.content]
  const [type, spec] =
    media.find(([name]) => isJson(name)) ??
    media.find(([name]) => isXml(name)) ??
    media.find(([name]) => name.startsWith('text/')) ??
    []
  if (type === undefined || spec === undefined) return FORMLESS
  const { schema } = spec
  const sampler = schema && samplerOf(schema)
  const fits = (value: Json) => schema === undefined || sampler === undefined || sampler.fits(schema.key, value)
  const example = spec.examples.find(({ value }) => fits(value))
  // Who may not come in is told so in the document's own words, where it has some.
  if (example !== undefined && (status === 401 || schema === undefined)) {
    const written = writeBody({ value: example.value }, spec, type)
    return () => written
  }
  if (schema === undefined || sampler === undefined) return FORMLESS
  const sample = example === undefined ? sampler.sample(schema.key, { seed: status }) : undefined
  if (sample?.fits === false) return FORMLESS
  const blank = example?.value ?? withoutTrimmings(sample?.value as Json, fits)
  return refusal => writeBody({ value: fillError(blank, refusal, fits) }, spec, type)
}

/** Where nothing else does, `default` speaks of what is answered when all is well. */
const speaksOfSuccess = (operation: Operation, response: ResponseSpec): boolean =>
  response === operation.responses.get('default') &&
  ![...operation.responses.keys()].some(status => /^[1-3](?:\d\d|XX)$/.test(status))

/** The sample of a documented error, with what its status and description say of it. */
export function describeError(value: Json, status: number, { description }: ResponseSpec, { schema }: MediaType): Json {
  const sampler = schema && samplerOf(schema)
  if (schema === undefined || sampler === undefined) return value
  const problem = problemOf(status)
  const detail = description.trim().split('\n', 1)[0] || problem.title
  return fillError(value, { problem, status, detail }, next => sampler.fits(schema.key, next))
}

/** What fills a field, by its name without case and punctuation; the first that fits. */
const TEXTS: Readonly<Record<string, readonly (keyof Words)[]>> = {
  code: ['code', 'status'],
  errorcode: ['code', 'status'],
  reason: ['code', 'detail'],
  error: ['title', 'detail'],
  errordescription: ['detail'],
  errormessage: ['detail'],
  message: ['detail'],
  msg: ['detail'],
  developermessage: ['detail'],
  usermessage: ['detail'],
  description: ['detail'],
  detail: ['detail'],
  details: ['detail'],
  text: ['detail'],
  info: ['detail'],
  title: ['title'],
  name: ['title'],
  summary: ['title'],
  status: ['status', 'code'],
  statuscode: ['status'],
  httpstatus: ['status'],
  httpcode: ['status'],
  statustext: ['title'],
  type: ['blank', 'code'],
}
const NUMBERS = new Set(['code', 'status', 'statuscode', 'httpstatus', 'httpcode', 'errorcode', 'httpstatuscode'])
/** Fields that hold errors, and are gone into. */
const HOLDERS = /^(?:errors?|faults?|details?|problems?|messages?|meta|status|issues?|violations?|data|body|response)$/
const FLAGS = new Set(['success', 'ok', 'succeeded'])

interface Words {
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly status: string
  readonly blank: string
}

/** The value with its fields filled by name, as far as it then still fits. */
export function fillError(value: Json, { problem, status, detail }: Refusal, fits: (value: Json) => boolean): Json {
  const words: Words = { code: problem.code, title: problem.title, detail, status: `${status}`, blank: 'about:blank' }
  let current = value
  const attempt = (path: Place, next: Json): boolean => {
    const whole = replaced(current, path, next)
    const fit = fits(whole)
    if (fit) current = whole
    return fit
  }
  for (const [path, name, at] of fieldsIn(value, [], '')) {
    if (typeof at === 'string') void (TEXTS[name] ?? []).some(word => attempt(path, words[word]))
    else if (typeof at === 'number' && NUMBERS.has(name)) attempt(path, status)
    else if (typeof at === 'boolean' && FLAGS.has(name)) attempt(path, false)
    // One refusal, one entry.
    else if (Array.isArray(at) && at.length > 1) attempt(path, at.slice(0, 1))
  }
  return current
}

/** Every field that may be filled, lists before what is in them. */
function* fieldsIn(value: Json, path: Place, name: string): Iterable<readonly [Place, string, Json]> {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '')
  if (Array.isArray(value)) {
    if (path.length > 0 && !HOLDERS.test(plain)) return
    yield [path, plain, value]
    const entry = value[0] as Json | undefined
    if (entry !== undefined) yield* fieldsIn(entry, [...path, 0], isObject(entry) ? name || 'errors' : 'message')
  } else if (isObject(value)) {
    if (path.length > 0 && !HOLDERS.test(plain)) return
    for (const [key, child] of Object.entries(value as JsonObject)) yield* fieldsIn(child, [...path, key], key)
  } else yield [path, path.length === 0 ? 'message' : plain, value]
}

/** A made-up error says no more than it must: what is optional, and speaks of nothing that a refusal knows, goes. */
function withoutTrimmings(value: Json, fits: (value: Json) => boolean): Json {
  if (!isObject(value)) return value
  let current = value as JsonObject
  const plainly = (key: string) => key.toLowerCase().replace(/[^a-z]/g, '')
  const told = Object.entries(current).some(([key, at]) => typeof at === 'string' && TEXTS[plainly(key)] !== undefined)
  for (const [key, at] of Object.entries(current)) {
    const plain = plainly(key)
    const filled = typeof at === 'object' ? HOLDERS.test(plain) && !told : TEXTS[plain] !== undefined
    if (filled || NUMBERS.has(plain) || FLAGS.has(plain)) continue
    const { [key]: _, ...rest } = current
    if (fits(rest)) current = rest
  }
  return current
}
