// The API's own port: turns what arrives into a Request, asks the gateway, and writes its Reply.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gateway } from '../gateway/gateway.ts'
import { problems } from '../kernel/problem.ts'
import { type Reply, withHeaders } from '../kernel/reply.ts'
import type { BodyRead, ClientCertificate, Request } from '../kernel/request.ts'
import type { Plan } from '../plan/plan.ts'
import { type BodyReader, compileBodyReader } from './body.ts'
import { certificateOf } from './client-certificate.ts'
import { type Fault, faultOf } from './message-fault.ts'
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

  const replyTo = (request: DataRequest, fault: Fault | undefined): Promise<Reply> => {
    const { path } = request
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
    return replyTo(request, faultOf(req, res)).then(reply => {
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

  get certificate(): ClientCertificate | undefined {
    return certificateOf(this.#req.socket)
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
}

/** A proxy's client sends the whole URL (RFC 9112 §3.2.2); the authority is then Node's `host`. */
const originForm = (target: string): string => {
  if (target.startsWith('/')) return target
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target)
  if (match === null) return target
  const rest = target.slice(match[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
