// The contract as documentation of the served API: with its address, and with the additions of the gateway.

import { bundle, type DocumentPart, type Example, type MediaType } from '../../contract/contract.ts'
import { isJson } from '../../contract/media-types.ts'
import { describeCall } from '../../gateway/curl.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import type { Schema } from '../../kernel/schema/schema.ts'
import { requestTo } from '../../load/probe/probe.ts'
import { describeDay, type OperationOnADay } from '../../plan/describe.ts'
import type { ChainLink, Plan, PlannedOperation } from '../../plan/plan.ts'

/**
 * Returns the OpenAPI document that is served. `x-understudy` of an operation tells its id, its phase, its dates, and its
 * behaviours.
 *
 * @param origin the address of the API, without a base path
 * @param operations the operations as they are in the weather of this moment
 * @param time the moment, by the clock of the default world
 */
export function describeContract(
  plan: Plan,
  origin: string,
  operations: readonly PlannedOperation[],
  time: number,
): DocumentPart | undefined {
  const document = bundle(plan.contract)
  if (document === undefined) return undefined
  const days = describeDay(plan, time)
  const paths = isObject(document.paths) ? (document.paths as Record<string, DocumentPart>) : {}
  for (const planned of operations) {
    const { operation, index } = planned
    const item = paths[operation.path]
    const own = item?.[operation.method.toLowerCase()]
    if (!isObject(own)) continue
    ;(item as DocumentPart)[operation.method.toLowerCase()] = {
      ...own,
      ...(planned.deprecated ? { deprecated: true } : {}),
      'x-understudy': describeAdditions(planned, days[index]),
    }
  }
  return { ...document, servers: plan.contract.basePaths.map(path => ({ url: origin + path })) }
}

function describeAdditions({ operation, chain }: PlannedOperation, day: OperationOnADay | undefined): object {
  const { phase = 'active', refused, until, next } = day ?? {}
  return {
    operation: operation.id,
    phase,
    refused,
    until,
    next,
    behaviours: chain.map(({ name, detail }) => (detail === undefined ? name : `${name}: ${detail}`)),
  }
}

// An operation for a form: its inputs with schemas and values that fit, and its documented replies.

export interface OperationForm {
  readonly operation: string
  readonly method: string
  /** The path template, base path included. */
  readonly path: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated: boolean
  readonly chain: readonly { readonly name: string; readonly detail?: string }[]
  /** Alternatives, each a list of security schemes; empty for a public operation. */
  readonly security: readonly (readonly string[])[]
  readonly parameters: readonly FormParameter[]
  readonly body?: { readonly required: boolean; readonly content: readonly FormContent[] }
  readonly responses: readonly FormResponse[]
  /** A command that sends the sample; absent if it needs a key that the configuration does not publish. */
  readonly curl?: string
  /** A request that keeps to the contract, without a credential; absent where none was found. */
  readonly sample?: { readonly path: string; readonly query: string; readonly headers: object; readonly body?: string }
}

export interface FormParameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly deprecated: boolean
  readonly description?: string
  readonly schema: Schema
  /** Its text in the sample. */
  readonly sample?: string
}

interface FormContent {
  readonly type: string
  readonly schema?: Schema
  readonly examples: readonly { readonly name: string | null; readonly value: Json }[]
}

interface FormResponse {
  /** As the contract has it: `200`, `4XX`, `default`. */
  readonly status: string
  readonly description: string
  readonly content: readonly FormReplyContent[]
}

export interface FormReplyContent extends Omit<FormContent, 'schema'> {
  /** A value that the contract accepts, where it has no example of JSON. */
  readonly sample?: Json
}

/** Returns the behaviours of an operation in words. */
export const describeChain = (chain: readonly ChainLink[]): { name: string; detail?: string }[] =>
  chain.map(({ name, detail }) => (detail === undefined ? { name } : { name, detail }))

/** @param origin the address of the API */
export function describeForm(planned: PlannedOperation, plan: Plan, origin: string): OperationForm {
  const { operation, route, chain, deprecated } = planned
  const { id, method, tags, summary, parameters, body, responses, security, node } = operation
  const description = filledText(node.value, 'description')
  const sent = requestTo(planned, plan)
  const call = describeCall(planned, plan, origin)
  const samples = sent === undefined ? new Map<string, string>() : samplesOf(planned, plan, sent)
  return {
    operation: id,
    method,
    path: route,
    tags,
    summary,
    description,
    deprecated,
    chain: describeChain(chain),
    security: security.map(alternative => alternative.map(({ scheme }) => scheme)),
    parameters: parameters.map(one => ({
      ...{ name: one.name, in: one.in, required: one.required, deprecated: one.deprecated },
      description: filledText(one.node.value, 'description'),
      schema: one.schema.selfContained,
      sample: samples.get(`${one.in} ${one.name}`),
    })),
    body: body && {
      required: body.required,
      content: [...body.content].map(([type, media]) => contentOf(type, media)),
    },
    responses: [...responses].map(([status, response]) => ({
      status,
      description: response.description,
      content: [...response.content].map(([type, media]) => replyContentOf(type, media)),
    })),
    curl: call?.known ? call.command : undefined,
    sample: sent && {
      ...{ path: sent.path, query: sent.query, headers: sent.headers },
      body: sent.hasBody ? sent.text : undefined,
    },
  }
}

const contentOf = (type: string, { schema, examples }: MediaType): FormContent => ({
  type,
  schema: schema?.selfContained,
  examples: examples.map(exampleOf),
})

function replyContentOf(type: string, { schema, examples }: MediaType): FormReplyContent {
  const content = { type, examples: examples.map(exampleOf) }
  if (schema === undefined || examples.length > 0 || !isJson(type)) return content
  const { value, fits } = schema.sample({ seed: 1, dynamic: false, few: true })
  return fits && value !== undefined ? { ...content, sample: value } : content
}

const exampleOf = ({ name, value }: Example): { name: string | null; value: Json } => ({ name: name ?? null, value })

/** The texts of the sample's parameters, by `LOCATION NAME`. */
function samplesOf(
  { operation }: PlannedOperation,
  plan: Plan,
  { method, path, query, headers }: NonNullable<ReturnType<typeof requestTo>>,
): Map<string, string> {
  const names = [...operation.path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string)
  const segments = plan.find(method, path)?.segments ?? []
  const values = new URLSearchParams(query)
  return new Map([
    ...names.flatMap((name, i) => (segments[i] === undefined ? [] : [[`path ${name}`, segments[i]] as const])),
    // A list is one text with commas, as a person types it.
    ...[...values.keys()].map(name => [`query ${name}`, values.getAll(name).join(',')] as const),
    ...Object.entries(headers).map(([name, text]) => [`header ${name}`, String(text)] as const),
  ])
}

const filledText = (value: unknown, key: string): string | undefined => {
  const text = (value as Readonly<Record<string, unknown>> | undefined)?.[key]
  return typeof text === 'string' && text !== '' ? text : undefined
}
