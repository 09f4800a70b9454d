// The OpenAPI document of the control plane, assembled from the declarations of its routes.

import type { Schema } from '../../kernel/schema/schema.ts'
import { json } from './replies.ts'
import schemas from './reply-schemas.json' with { type: 'json' }
import {
  type CallParameter,
  type ControlRoute,
  problemSchema,
  type ReplySpec,
  replyWith,
  routeAddress,
  string,
} from './route.ts'

/** The route that serves the document, itself included. */
export function openApiRoute(
  others: readonly ControlRoute[],
  version: string,
  ofWings: readonly (object | undefined)[],
): ControlRoute {
  const route: ControlRoute = {
    at: 'GET /openapi.json',
    operation: 'getOpenApi',
    underWorkers: 'always',
    summary: 'This document.',
    replies: {
      200: replyWith('OpenAPI 3.1.', { type: 'object', required: ['openapi', 'info', 'paths', 'components'] }),
    },
    handle: () => reply,
  }
  const reply = json(describeRoutes([...others, route], version, Object.assign({}, schemas, ...ofWings)))
  return route
}

function describeRoutes(routes: readonly ControlRoute[], version: string, replySchemas: object): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const { method, path } = routeAddress(route)
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeRoute(route, path) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Understudy control plane',
      version,
      description:
        'Controls a running gateway and queries its requests. On loopback it needs no token; on other addresses it needs a bearer token. It refuses web pages of other origins.',
    },
    paths,
    components: {
      schemas: { Problem: problemSchema, ...replySchemas },
      responses: Object.fromEntries(
        Object.entries(COMMON).map(([name, [, description]]) => [name, { description, content: PROBLEM }]),
      ),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'UNDERSTUDY_CONTROL_TOKEN, if it is set.' },
      },
    },
    security: [{}, { token: [] }],
  }
}

const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }

/** The implicit replies of every route, with their conditions. */
const COMMON = {
  Invalid: [400, 'The request is not well-formed HTTP, or a parameter or the body is not as described here.'],
  Unauthorized: [401, 'The token is missing or wrong.'],
  Foreign: [403, 'The request is from a web page of another origin, or has a foreign Host.'],
  Late: [408, 'The request did not arrive in time.'],
  TooLarge: [413, 'The body is too large.'],
  Unsupported: [415, 'The content type or content encoding of the body is not supported.'],
  Unexpected: [417, 'Expect is not 100-continue.'],
  LongHeaders: [431, 'The request line and headers are too large.'],
  Broken: [500, 'An internal error; see the log.'],
  Unknown: [501, 'The method or the transfer coding is not known.'],
  OtherVersion: [505, 'The request line names another version than HTTP/1.1 or HTTP/1.0.'],
  Full: [507, 'Records need more memory than `worlds.maxBytes`, or than is left.'],
} as const

function describeRoute(
  { operation, summary, parameters = {}, body, replies, open }: ControlRoute,
  path: string,
): object {
  const common = [
    'Invalid' as const,
    ...(open ? [] : (['Unauthorized'] as const)),
    'Foreign' as const,
    'Late' as const,
    ...(body === undefined ? [] : (['TooLarge', 'Unsupported', 'Full'] as const)),
    'Unexpected' as const,
    'LongHeaders' as const,
    'Broken' as const,
    'Unknown' as const,
    'OtherVersion' as const,
  ]
  const described = Object.entries(parameters).map(([name, parameter]) => describeParameter(name, parameter, path))
  const texts = body?.texts?.map(type => [type, { schema: string }]) ?? []
  return {
    operationId: operation,
    summary,
    ...(open && { security: [] }),
    ...(described.length > 0 && { parameters: described }),
    ...(body && {
      requestBody: {
        description: body.description,
        required: body.required ?? true,
        content: { 'application/json': { schema: body.shown ?? body.schema }, ...Object.fromEntries(texts) },
      },
    }),
    responses: {
      ...Object.fromEntries(common.map(name => [COMMON[name][0], { $ref: `#/components/responses/${name}` }])),
      ...Object.fromEntries(
        Object.entries(replies).map(([status, reply]) => [status, describeRouteReply(status, reply)]),
      ),
    },
  }
}

function describeParameter(name: string, { description, ...schema }: CallParameter, path: string): object {
  if (name.endsWith('.*')) {
    // Parameters with a common beginning are the members of an object that is spread over the query.
    const members = { type: 'object', patternProperties: { [`^${name.slice(0, -2)}\\.`]: schema } }
    return { name, in: 'query', style: 'form', explode: true, schema: members, description }
  }
  const inPath = path.includes(`{${name}}`)
  return { name, in: inPath ? 'path' : 'query', ...(inPath && { required: true }), schema, description }
}

function describeRouteReply(status: string, reply: ReplySpec | string): object {
  if (typeof reply === 'string') return { description: reply, ...(Number(status) >= 400 && { content: PROBLEM }) }
  const described = Object.entries<Schema>(reply.content).map(([type, schema]) => [type, { schema }])
  return { description: reply.description, content: Object.fromEntries(described) }
}
