// The tools of the Model Context Protocol: one for each operation of the control plane that answers with JSON, by the OpenAPI document
// in which it describes itself.

import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'

/** Sends a request to the control plane, whose address it knows. */
export type Send = (path: string, init: SentParts) => Promise<Response>

interface SentParts {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | null
}

export interface ControlTool {
  readonly tool: Tool
  call(values: JsonObject, send: Send): Promise<CallToolResult>
}

/** The parts of the control plane's document that are read here. */
export interface ControlDocument {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, ControlOperation>>>>
}

interface ControlOperation {
  readonly operationId: string
  readonly summary: string
  /** Empty for what needs no token. */
  readonly security?: readonly object[]
  readonly parameters?: readonly ControlParameter[]
  readonly requestBody?: {
    readonly description: string
    readonly required: boolean
    readonly content: { readonly 'application/json': { readonly schema: object } }
  }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

interface ControlParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly description: string
  readonly schema: object
}

/** Returns the tools by name, which is the `operationId`. Probes, metrics, pages and streams are no tools. */
export function toolsOf({ paths }: ControlDocument): ReadonlyMap<string, ControlTool> {
  const tools = new Map<string, ControlTool>()
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (answersWithJson(operation)) tools.set(operation.operationId, toolOf(method.toUpperCase(), path, operation))
    }
  }
  return tools
}

function answersWithJson({ security, responses }: ControlOperation): boolean {
  if (security?.length === 0) return false
  return Object.entries(responses).some(
    ([status, { content }]) => status.startsWith('2') && (content === undefined || 'application/json' in content),
  )
}

function toolOf(method: string, path: string, operation: ControlOperation): ControlTool {
  const { operationId, summary, parameters = [], requestBody } = operation
  const properties: Record<string, object> = {}
  for (const parameter of parameters) {
    properties[argumentOf(parameter.name)] = { ...parameter.schema, description: parameter.description }
  }
  if (requestBody !== undefined) {
    properties.body = { ...requestBody.content['application/json'].schema, description: requestBody.description }
  }
  const required = parameters.filter(parameter => parameter.required).map(({ name }) => name)
  if (requestBody?.required) required.push('body')
  return {
    tool: {
      name: operationId,
      description: `${summary} (${method} ${path})`,
      inputSchema: { type: 'object', properties, required, additionalProperties: false } as Tool['inputSchema'],
      annotations: {
        readOnlyHint: method === 'GET',
        destructiveHint: method === 'DELETE' || method === 'PUT',
        idempotentHint: method !== 'POST' && method !== 'PATCH',
        openWorldHint: false,
      },
    },
    call: (values, send) => callOperation(method, path, operation, values, send),
  }
}

/** The name of an argument. Clients take letters, digits, `_`, `.` and `-`, so `header.*` is `header_members`. */
const argumentOf = (name: string): string => name.replace('.*', '_members')

async function callOperation(
  method: string,
  path: string,
  { parameters = [], requestBody }: ControlOperation,
  values: JsonObject,
  send: Send,
): Promise<CallToolResult> {
  const query = new URLSearchParams()
  let address = path
  for (const { name, in: place } of parameters) {
    const value = values[argumentOf(name)]
    if (value === undefined) continue
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(textOf(value)))
    else if (name.endsWith('.*'))
      for (const [key, member] of Object.entries(value ?? {})) query.set(key, textOf(member))
    else query.set(name, textOf(value))
  }
  const headers: Record<string, string> = { accept: 'application/json' }
  let body: string | undefined
  if (requestBody !== undefined && values.body !== undefined) {
    headers['content-type'] = 'application/json'
    body = stringifyJson(values.body)
  }
  const reply = await send(query.size === 0 ? address : `${address}?${query}`, { method, headers, body: body ?? null })
  const text = await reply.text()
  return { content: [{ type: 'text', text: text === '' ? `done: ${reply.status}` : text }], isError: !reply.ok }
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : stringifyJson(value))
