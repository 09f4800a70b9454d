// The checks of Schemathesis, for the shipped gateway and for inferred ones: valid data is accepted, each kind of invalid data
// refused, credentials are not ignored, methods without an operation are 405, and records that are created are there until they
// are deleted. `conformance.test.ts` holds the replies of random sequences to the contract.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Operation, responseFor } from '../../../../src/contract/contract.ts'
import { nonconformanceOf } from '../../../../src/contract/judge.ts'
import { Gateway } from '../../../../src/gateway/gateway.ts'
import type { Reply, Request } from '../../../../src/kernel/http.ts'
import { stringifyJson } from '../../../../src/kernel/json.ts'
import type { Plan, PlannedOperation } from '../../../../src/plan/plan.ts'
import { asksForCredential } from '../../../../src/wings/probe/probe.ts'
import { conformanceSubject, FILES } from './conformance-subject.ts'
import { invalidRequests } from './invalid-requests.ts'

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'TRACE', 'QUERY', 'LINK', 'CONNECT', 'NONSENSE']

interface Subject {
  readonly plan: Plan
  /** Sends a request to a new gateway, so that none depends on another. */
  readonly send: (request: Request) => Promise<Reply>
  readonly renew: () => void
  readonly valid: readonly (readonly [planned: PlannedOperation, request: Request])[]
}

async function subjectOf(file: string): Promise<Subject> {
  const { plan, valid, log, clock, failures } = await conformanceSubject(file)
  const make = () => new Gateway(plan, clock, log, '0.0.0')
  let gateway = make()
  return {
    plan,
    valid,
    renew() {
      gateway = make()
    },
    async send(request) {
      const reply = await gateway.handle(request)
      const about = `${request.method} ${request.path}?${request.query} → ${reply.status}`
      assert.deepEqual(failures, [], about)
      assert.notEqual(reply.status, 500, about)
      return reply
    },
  }
}

const about = ({ method, path, query }: Request, { status, body }: Reply, what = '') =>
  `${method} ${path}?${query}${what === '' ? '' : `: a request ${what}`} → ${status} ${String(body).slice(0, 300)}`

/** Whether an operation documents nothing that a valid request could be answered with. */
const isSilent = ({ responses }: Operation) => ![...responses.keys()].some(status => /^(?:2|default)/.test(status))

/** Whether the document itself has this reply as an example: one with `null` for absent values is sent as it is written. */
function isExample(operation: Operation, { status, body }: Reply): boolean {
  const examples = [...(responseFor(operation, status)?.content.values() ?? [])].flatMap(media => media.examples)
  return typeof body === 'string' && examples.some(({ value }) => stringifyJson(value) === body)
}

/** Documented headers that are missing or of another type; only plain types are looked at. */
function wrongHeaders(operation: Operation, { status, headers }: Reply): readonly string[] {
  return (responseFor(operation, status)?.headers ?? []).flatMap(({ name, required, schema }) => {
    const text = headers[name.toLowerCase()]
    if (text === undefined) return required ? [`the header ${name} is missing`] : []
    const types = schema?.types ?? new Set()
    const isNumber = types.size === 1 && (types.has('integer') || types.has('number'))
    return isNumber && !/^-?\d+(?:\.\d+)?$/.test(text) ? [`the header ${name} is ${text}`] : []
  })
}

/** Fails with all that was found, since one mistake hides no other. */
const assertNone = (found: readonly string[]) =>
  assert.ok(found.length === 0, `${found.length} found:\n${found.slice(0, 40).join('\n')}`)

for (const file of FILES) {
  const subject = await subjectOf(file)
  const { plan, send, valid } = subject

  test(`${file}: valid data is accepted, as documented`, async () => {
    const found: string[] = []
    for (const [{ operation }, request] of valid) {
      subject.renew()
      const reply = await send(request)
      const fault = nonconformanceOf(operation, reply)
      if ([400, 405, 406, 413, 415, 422, 428].includes(reply.status)) found.push(about(request, reply))
      else if (
        fault !== undefined &&
        !isSilent(operation) &&
        reply.refusal === undefined &&
        !isExample(operation, reply)
      )
        found.push(about(request, reply, fault.message))
      for (const wrong of wrongHeaders(operation, reply)) found.push(about(request, reply, wrong))
    }
    assertNone(found)
  })

  test(`${file}: invalid data is refused`, async () => {
    const found: string[] = []
    for (const [{ operation }, request] of valid) {
      for (const { what, request: invalid } of await invalidRequests(plan.contract, operation, request)) {
        const reply = await send(invalid)
        if (reply.status < 400 || reply.status >= 500) found.push(about(invalid, reply, what))
      }
    }
    assertNone(found)
  })

  test(`${file}: missing and malformed credentials are refused`, async () => {
    const found: string[] = []
    for (const [{ operation }, request] of valid) {
      if (!asksForCredential(operation, plan)) continue
      const { authorization: _, cookie: __, ...bare } = request.headers
      const names = [...plan.contract.securitySchemes.values()].flatMap(one => ('name' in one ? [one.name] : []))
      const headers = Object.fromEntries(
        Object.entries(bare).filter(([name]) => !names.some(one => one.toLowerCase() === name)),
      )
      const query = request.query
        .split('&')
        .filter(pair => !names.includes(pair.split('=')[0] ?? ''))
        .join('&')
      const without = { ...request, headers, query, certificate: undefined }
      // Any text is a key in a header of this name.
      const isKey = names.some(one => one.toLowerCase() === 'authorization')
      const wrongs = isKey ? [''] : ['', 'Nonsense', 'Nonsense x', 'Bearer', 'Bearer ', 'Basic', '\u00ff']
      const requests = [
        without,
        ...wrongs.map(authorization => ({ ...without, headers: { ...headers, authorization } })),
        ...names.map(name => ({ ...without, headers: { ...headers, [name.toLowerCase()]: '' } })),
      ]
      for (const one of requests) {
        const reply = await send(one)
        if (reply.status !== 401) found.push(about(one, reply, `with ${JSON.stringify(one.headers)}`))
      }
    }
    assertNone(found)
  })

  test(`${file}: methods without an operation are 405, with those of the path`, async () => {
    const found: string[] = []
    for (const [, { path }] of valid) {
      const own = METHODS.filter(method => plan.find(method, path) !== undefined)
      for (const method of METHODS.filter(one => !own.includes(one))) {
        const request = { ...(valid[0]?.[1] as Request), method, path, query: '', headers: {}, hasBody: false }
        const reply = await send(request)
        const allowed = (reply.headers.allow ?? '').split(', ').filter(one => one !== 'HEAD' && one !== 'OPTIONS')
        if (reply.status !== 405 || allowed.sort().join() !== [...own].sort().join()) {
          found.push(about(request, reply, `, Allow: ${reply.headers.allow}`))
        }
      }
    }
    assertNone(found)
  })

  test(`${file}: a record is there from its creation until its deletion`, async () => {
    const found: string[] = []
    for (const [{ operation }, request] of valid) {
      const { method } = operation
      if (method !== 'POST' && method !== 'DELETE') continue
      subject.renew()
      const reply = await send(request)
      if (reply.status >= 300) continue
      const where = method === 'POST' ? reply.headers.location : request.path
      const path = where === undefined ? undefined : new URL(where, 'http://x').pathname
      const read = path === undefined ? undefined : plan.find('GET', path)
      const other = valid.find(([planned]) => planned === read?.target.planned)
      if (path === undefined || other === undefined) continue
      const reading = { ...other[1], path, headers: { ...other[1].headers, ...credentialsOf(request) } }
      const seen = await send(reading)
      const fits = method === 'POST' ? seen.status < 300 : seen.status === 404 || seen.status === 410
      // Another kind of POST or DELETE may be about something else than a record.
      if (!fits && isStateful(plan, operation)) found.push(`${about(request, reply)}; then ${about(reading, seen)}`)
    }
    assertNone(found)
  })
}

const credentialsOf = ({ headers: { authorization } }: Request) =>
  authorization === undefined ? {} : { authorization }

/** Whether an operation creates or deletes records. */
function isStateful({ simulation }: Plan, { id }: Operation): boolean {
  const respond = simulation.file.operations?.[id]?.respond
  return typeof respond === 'object' && respond !== null && ('create' in respond || 'delete' in respond)
}
