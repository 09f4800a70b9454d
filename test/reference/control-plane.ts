// The reference of the control plane, made of the document that it serves at /openapi.json.

import { startGateway } from '../../src/index.ts'

interface Described {
  readonly description: string
}

interface Operation {
  readonly summary: string
  readonly security?: readonly object[]
  readonly parameters?: readonly (Described & { name: string; in: string; schema: { type: string } })[]
  readonly requestBody?: Described & { readonly content: object }
  /** A reply that every route can have is a reference. */
  readonly responses: Readonly<Record<string, Described | { readonly $ref: string }>>
}

/** A section for each route: summary, parameters, body, replies by status. */
export async function describeControlPlane(): Promise<string> {
  const gateway = await startGateway({
    config: { contract: { openapi: '3.1.0', info: { title: 'None', version: '1' }, paths: {} } },
  })
  try {
    const reply = await fetch(`${gateway.control}/openapi.json`)
    const { paths } = (await reply.json()) as { paths: Record<string, Record<string, Operation>> }
    return Object.entries(paths)
      .flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => describe(method, path, operation)))
      .join('\n\n')
  } finally {
    await gateway.close()
  }
}

function describe(method: string, path: string, operation: Operation): string {
  const { summary, security, parameters = [], requestBody, responses } = operation
  const rows = parameters.map(
    ({ name, in: where, schema, description }) => `- \`${name}\` (${where}, ${schema.type}): ${description}`,
  )
  const replies = Object.entries(responses).flatMap(([status, reply]) =>
    'description' in reply ? [`- ${status}: ${reply.description}`] : [],
  )
  return [
    `## \`${method.toUpperCase()} ${path}\``,
    security?.length === 0 ? `${summary} It needs no token.` : summary,
    ...(rows.length === 0 ? [] : [rows.join('\n')]),
    ...(requestBody === undefined ? [] : [describeBody(requestBody)]),
    `${rows.length === 0 && requestBody === undefined ? '' : 'Replies:\n\n'}${replies.join('\n')}`,
  ].join('\n\n')
}

function describeBody({ content, description }: NonNullable<Operation['requestBody']>): string {
  const types = Object.keys(content).map(type => `\`${type}\``)
  return `**Body** (${types.join(', ')}). ${description}`
}
