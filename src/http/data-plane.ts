// The API's own port: turns what arrives into a Request, asks the gateway, and writes its Reply.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gateway } from '../gateway/gateway.ts'
import { problems } from '../kernel/problem.ts'
import { type Reply, withHeaders } from '../kernel/reply.ts'
import type { BodyRead, Request } from '../kernel/request.ts'
import type { Plan } from '../plan/compile.ts'
import { type BodyReader, compileBodyReader } from './body.ts'
import { type Answer, onDemand } from './on-demand.ts'
import { exposedNames } from './reply-fields.ts'
import type { Status } from './status.ts'
import { writeReply } from './wire.ts'

/**
 * The handler of the API's port. `status` answers for the paths that are exposed beside the API.
 *
 * Koa serves what it is good at, pages of other origins (`other-origins.ts`) and bodies that need work (`decode-body.ts`), and
 * is loaded when it is first needed. No other request meets it.
 */
export function createDataPlane(gateway: Gateway, status: Status): Answer {
  const replyExposed = async ({ method, path }: Request): Promise<Reply> => {
    if (method === 'GET' || method === 'HEAD') return status(path)
    const headers = { allow: 'GET, HEAD, OPTIONS' }
    if (method === 'OPTIONS') return { status: 204, headers, body: undefined }
    return gateway.refuse(problems.method_not_allowed, `${method} is not allowed here; ${headers.allow} are`, headers)
  }
  let maxBody = gateway.plan.simulation.limits.body
  let readBody = compileBodyReader(maxBody)

  const replyTo = (request: DataRequest): Promise<Reply> => {
    const { path, fault } = request
    if (fault !== undefined) return gateway.refuse(...fault)
    if (EXPOSABLE.has(path) && isExposed(path, gateway.plan)) return replyExposed(request)
    return gateway.handle(request)
  }
  const answer = (req: IncomingMessage, res: ServerResponse, shared = false): Promise<void> => {
    const { limits, delivery } = gateway.plan.simulation
    if (limits.body !== maxBody) {
      maxBody = limits.body
      readBody = compileBodyReader(maxBody)
    }
    const request = new DataRequest(req, res, readBody)
    return replyTo(request).then(reply => {
      try {
        writeReply(req, res, shared ? exposed(reply) : reply, delivery)
      } catch (error) {
        return apologise(error, req, res)
      }
    })
  }
  /** For a header that HTTP cannot carry. */
  const apologise = async (error: unknown, req: IncomingMessage, res: ServerResponse): Promise<void> => {
    gateway.reportFailure(error)
    const reply = await gateway.refuse(problems.internal_error, 'something broke')
    writeReply(req, res, reply, gateway.plan.simulation.delivery)
  }

  const answerOtherOrigin = onDemand(
    async () => {
      const { admitOtherOrigins } = await import('./other-origins.ts')
      return admitOtherOrigins(
        (req, res) => answer(req, res, true),
        () => gateway.plan.simulation.listen.cors,
      )
    },
    error => gateway.reportFailure(error),
  )
  return (req, res) => {
    const { origin } = req.headers
    if (origin !== undefined && gateway.plan.simulation.listen.cors?.admits(origin) === true) {
      answerOtherOrigin(req, res)
      return
    }
    // What breaks here has no reply to break it to: its connection is all that can be ended.
    const giveUp = () => void res.destroy()
    try {
      answer(req, res).catch(giveUp)
    } catch {
      giveUp()
    }
  }
}

/** The reply, with all its headers readable for a page of another origin. */
const exposed = (reply: Reply): Reply =>
  withHeaders(reply, { 'access-control-expose-headers': exposedNames(reply.headers) })

const EXPOSABLE = new Set(['/metrics', '/healthz', '/readyz'])

/** A path of the contract is never taken from it. */
const isExposed = (path: string, { simulation, methodsOf }: Plan): boolean =>
  (simulation.expose as readonly string[]).includes(path.slice(1)) && methodsOf(path).length === 0

class DataRequest implements Request {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Request['headers']
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #readBody: BodyReader
  #signal: AbortSignal | undefined

  constructor(req: IncomingMessage, res: ServerResponse, readBody: BodyReader) {
    const target = originForm(req.url as string)
    const query = target.indexOf('?')
    this.method = req.method as string
    this.path = query === -1 ? target : target.slice(0, query)
    this.query = query === -1 ? '' : target.slice(query + 1)
    this.headers = req.headers
    this.#req = req
    this.#res = res
    this.#readBody = readBody
  }

  get hasBody(): boolean {
    const { 'content-length': length, 'transfer-encoding': coding } = this.headers
    return coding !== undefined || (length !== undefined && length !== '0')
  }

  readBody(): Promise<BodyRead> {
    return this.#readBody(this.#req, this.#res)
  }

  get address(): string {
    return this.#req.socket.remoteAddress ?? ''
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController()
      const res = this.#res
      if (res.destroyed) controller.abort()
      // A response closes once: after it was written, or when its socket does.
      else res.once('close', () => controller.abort())
      this.#signal = controller.signal
    }
    return this.#signal
  }

  /** What is wrong with the request as HTTP, where Node's parser lets it pass. */
  get fault(): Parameters<Gateway['refuse']> | undefined {
    const { httpVersionMinor, rawHeaders, headers } = this.#req
    const { host, 'transfer-encoding': coding } = headers
    if (host === undefined) {
      if (httpVersionMinor > 0) return [problems.invalid_request, 'the request has no Host field']
    } else if (!HOST.test(host)) return [problems.invalid_request, 'the Host field names no host']
    // Node keeps the first of several: whoever stands in front of it may have gone by another (RFC 9112 §3.2).
    if (hasTwoHosts(rawHeaders)) return [problems.invalid_request, 'the request has more than one Host field']
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
      return [problems.not_simulated, 'the transfer coding is not supported; chunked is']
    }
    if (this.path.includes('#') || this.query.includes('#')) {
      return [problems.invalid_request, 'the request target has a fragment']
    }
    return undefined
  }
}

/** RFC 9110 §7.2: `uri-host [ ":" port ]`, which may be empty. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** A proxy's client sends the whole URL (RFC 9112 §3.2.2); the authority is then Node's `host`. */
const originForm = (target: string): string => {
  if (target.startsWith('/')) return target
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target)
  if (match === null) return target
  const rest = target.slice(match[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
