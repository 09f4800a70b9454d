// The control plane: a Koa application on a separate port, so that its paths do not collide with the API. Mounts the
// routes of `control/`, and reads requests to them.

import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import Router from '@koa/router'
import Koa from 'koa'
import { decodeUtf8, retryAfter } from '../../kernel/http.ts'
import { type Json, parseJson, stringifyJson } from '../../kernel/json.ts'
import { type Check, Schemas } from '../../kernel/schema/schema.ts'
import type { Violation } from '../../kernel/schema/violations.ts'
import { Unavailable } from '../../state/errors.ts'
import { Full } from '../../world/budget.ts'
import { breathe } from '../../world/real-time.ts'
import { readBody } from '../request.ts'
import { compileAccess } from './access.ts'
import type { ControlPage } from './page.ts'
import { badRequest, type ControlReply, GUARD_HEADERS, problem, withHint } from './replies.ts'
import { type BodySpec, type Call, type ControlRoute, routeAddress } from './route.ts'

/**
 * @param token the token that a client must send; `undefined` on loopback
 * @param failed is called with the exception, which the client does not see
 * @param pages web pages beside the routes
 */
export function createControlPlane(
  routes: readonly ControlRoute[],
  token: string | undefined,
  failed: (error: unknown) => void,
  pages: readonly ControlPage[],
): (req: IncomingMessage, res: ServerResponse) => void {
  const app = new Koa()
  app.silent = true
  const refuse = compileAccess(token)
  const open = new Set(routes.filter(route => route.open).map(route => routeAddress(route).path))
  const router = new Router({ sensitive: true, strict: true, exclusive: 'specificity', methods: [...METHODS] })
  // Large replies are made one after the other, one in each turn of the event loop: the free memory is looked at in between.
  let last = Promise.resolve()
  for (const route of routes) {
    const { method, path } = routeAddress(route)
    // Compiled when it is first called: most routes never are, and the checks of all of them take half a second.
    let read: CallReader | undefined
    router.register(path.replace(/\{([^{}]+)\}/g, ':$1'), [method.toLowerCase()], async ctx => {
      read ??= compileCallReader(route)
      const call = await read(ctx as never, ctx.params)
      last = last.then(breathe)
      await last
      writeControlReply(ctx as never, 'refusal' in call ? call.refusal : await route.handle(call))
    })
  }
  app.use(async (ctx, next) => {
    try {
      const refusal = refuse(ctx, open.has(ctx.path) || pages.some(page => page.owns(ctx.path)))
      if (refusal === undefined) await next()
      else writeControlReply(ctx, refusal)
      if (ctx.body === undefined && ctx.status >= 400) {
        const [code, detail] = NOWHERE[ctx.status] ?? ['error', 'the control plane could not answer']
        writeControlReply(ctx, problem(ctx.status, code, detail))
      }
    } catch (error) {
      if (error instanceof Full) return writeControlReply(ctx, problem(507, 'insufficient_storage', error.message))
      if (error instanceof Unavailable) {
        const refusal = problem(503, 'unavailable', `the state is unavailable: ${error.message}`)
        return writeControlReply(ctx, { ...refusal, headers: retryAfter(1000) })
      }
      failed(error)
      writeControlReply(ctx, problem(500, 'internal_error', 'internal error; see the log'))
    }
  })
  for (const page of pages) app.use(page.serve)
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app.callback()
}

const NOWHERE: Readonly<Record<number, readonly [code: string, detail: string]>> = {
  404: ['not_found', 'the control plane does not have this path; see GET /openapi.json'],
  405: ['method_not_allowed', 'the path does not support this method; see the header Allow'],
}

function writeControlReply(ctx: Koa.Context, { status, type, headers = {}, body }: ControlReply): void {
  ctx.status = status
  ctx.set({ ...GUARD_HEADERS, ...headers })
  if (body === undefined) return
  ctx.body = body instanceof Readable || typeof body === 'string' ? body : stringifyJson(body)
  if (type !== undefined) ctx.type = type
}

/** A request becomes a `Call`, read within bounds and checked against the declaration, before any code of its route runs. */
interface RefusedCall {
  readonly refusal: ControlReply
}
type CallReader = (ctx: Koa.Context, segments: Readonly<Record<string, string>>) => Promise<Call | RefusedCall>

const MAX_BODY = 1_000_000
function compileCallReader(route: ControlRoute): CallReader {
  const { parameters = {}, body } = route
  const { path } = routeAddress(route)
  const schemas = new Schemas()
  const names = Object.keys(parameters)
  // A query may have the names of the prototype.
  const compiled = new Map(
    Object.entries(parameters).map(([name, schema]) => [name, { type: schema.type, check: schemas.compile(schema) }]),
  )
  const familyOf = (name: string) => names.find(family => family.endsWith('.*') && name.startsWith(family.slice(0, -1)))
  const readCallBody = body === undefined ? undefined : compileCallBody(body, schemas)

  return async (ctx, segments) => {
    const values: Record<string, string | number | boolean | undefined> = {}
    const faults: string[] = []
    for (const [name, sent] of Object.entries({ ...ctx.query, ...segments })) {
      const parameter = compiled.get(name) ?? compiled.get(familyOf(name) ?? '')
      if (parameter === undefined || (path.includes(`{${name}}`) && !Object.hasOwn(segments, name))) {
        return refuseCall(withHint(`unknown query parameter "${name}"`, name, names))
      }
      if (typeof sent !== 'string') return refuseCall(`duplicate query parameter "${name}"`)
      const value = convertParameter(sent, parameter.type)
      values[name] = value
      for (const { message } of parameter.check(value) ?? []) faults.push(`the parameter "${name}" ${message}`)
    }
    if (faults.length > 0) return refuseCall(faults.join('; '))
    const read = readCallBody === undefined ? NO_BODY : await readCallBody(ctx)
    if ('refusal' in read) return read
    return { parameters: values, ...read, prefers: type => ctx.accepts('application/json', type) === type }
  }
}

const NO_BODY = { body: undefined, text: undefined }
const refuseCall = (detail: string): RefusedCall => ({ refusal: badRequest(detail) })

/** Converts a text to a type. A text without the type's form stays a text and fails its schema. */
function convertParameter(text: string, type: 'string' | 'integer' | 'boolean'): string | number | boolean {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

type ReadBody = (ctx: Koa.Context) => Promise<{ body: Json | undefined; text: string | undefined } | RefusedCall>

function compileCallBody(
  { schema, texts = [], required = true, maxBytes = MAX_BODY, decimals = false }: BodySpec,
  schemas: Schemas,
): ReadBody {
  const check: Check = schemas.compile(schema)
  const types = ['application/json', ...texts]
  return async ctx => {
    const { 'content-length': length, 'transfer-encoding': coding } = ctx.req.headers
    if (coding === undefined && (length === undefined || length === '0')) {
      return required ? refuseCall('the body is missing') : NO_BODY
    }
    // A page of another origin can send a form without asking first, but not these (Fetch standard, "simple requests").
    const type = ctx.is(...types, '+json')
    if (typeof type !== 'string') {
      const refusal = problem(415, 'unsupported_media_type', `the content type must be ${types.join(' or ')}`)
      return { refusal: { ...refusal, headers: { accept: types.join(', ') } } }
    }
    const read = await readBody(ctx, maxBytes)
    if ('problem' in read) return { refusal: problem(read.problem.status, read.problem.code, read.detail) }
    const text = decodeUtf8(read.bytes)
    if (text === undefined) return refuseCall('the body is not UTF-8')
    // JSON is YAML: a large one is read where its text is, and not here as well.
    if (texts.includes(type) || (text.length > MAX_BODY && texts.length > 0)) return { body: undefined, text }
    const parsed = parseJson(text, decimals)
    if ('fault' in parsed) return refuseCall(`the body ${parsed.fault}`)
    const violations = check(parsed.value, parsed.exact)
    if (violations !== undefined) return refuseCall(violations.map(describeViolation).join('; '))
    return { body: parsed.value, text: undefined }
  }
}

function describeViolation({ pointer, message, keyword, params }: Violation): string {
  if (keyword !== 'additionalProperties') return pointer === '' ? `the body ${message}` : `${pointer} ${message}`
  const known = params.known as readonly string[]
  return withHint(`${pointer} ${message}`, String(params.additionalProperty), known)
}
