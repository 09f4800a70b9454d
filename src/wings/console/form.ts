// An operation for a form: its inputs with schemas and values that fit, and its documented replies.

import type { Example, MediaType } from '../../contract/contract.ts'
import { isJson } from '../../contract/media-types.ts'
import type { Json } from '../../kernel/json.ts'
import type { ChainLink, Plan, PlannedOperation } from '../../plan/plan.ts'
import { describeCall } from '../probe/first-call.ts'
import { requestTo } from '../probe/probe.ts'
import type { FormContent, FormReplyContent, OperationForm } from './types.ts'

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
      name: one.name,
      in: one.in,
      required: one.required,
      deprecated: one.deprecated,
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
      path: sent.path,
      query: sent.query,
      headers: sent.headers,
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
