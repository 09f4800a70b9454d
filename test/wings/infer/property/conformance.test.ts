// Requests of every operation, valid ones and such as differ in a part, to gateways that were inferred and to the shipped one:
// each reply is documented and matches its schema, nothing is an internal error, and a valid request is served after it.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { nonconformanceOf } from '../../../../src/contract/judge.ts'
import { Gateway } from '../../../../src/gateway/gateway.ts'
import type { Reply, Request } from '../../../../src/kernel/http.ts'
import type { PlannedOperation } from '../../../../src/plan/plan.ts'
import { fuzz } from '../../../support/fuzz.ts'
import { conformanceSubject, FILES } from './conformance-subject.ts'

interface Subject {
  readonly gateway: Gateway
  readonly failures: unknown[]
  /** The operations that a valid request can be made for. */
  readonly operations: readonly (readonly [planned: PlannedOperation, request: Request])[]
}

async function subjectOf(file: string): Promise<Subject> {
  const { plan, valid, log, clock, failures } = await conformanceSubject(file)
  return {
    gateway: new Gateway(plan, clock, log, '0.0.0'),
    failures,
    operations: valid,
  }
}

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>('', '__proto__', -1, 0, 1e21, '9223372036854775808', 'constructor', '\ud800', null, [], {}),
)
/** Changes of a request: of a segment of its path, of its query, of its body. */
const change = fc.record({
  segment: fc.option(
    fc.tuple(
      fc.nat(8),
      fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('0', '-1', '99999999999999999999', '__proto__')),
    ),
    { freq: 3 },
  ),
  query: fc.option(fc.tuple(fc.nat(8), fc.string({ maxLength: 8 })), { freq: 3 }),
  member: fc.option(fc.tuple(fc.nat(20), fc.oneof(odd, fc.constant(undefined))), { freq: 2 }),
  extra: fc.option(fc.tuple(fc.constantFrom('__proto__', 'toString', 'x', ''), odd)),
})
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

async function changed(request: Request, { segment, query, member, extra }: Change): Promise<Request> {
  const segments = request.path.split('/')
  if (segment !== null)
    segments[1 + (segment[0] % Math.max(1, segments.length - 1))] = encodeURIComponent(
      segment[1].replace(/[\ud800-\udfff]/g, 'x'),
    )
  const pairs = request.query.split('&')
  if (query !== null)
    pairs[query[0] % pairs.length] =
      `${(pairs[query[0] % pairs.length] ?? '').split('=')[0]}=${encodeURIComponent(query[1].replace(/[\ud800-\udfff]/g, 'x'))}`
  const read = await request.readBody(1e6)
  const bytes = 'bytes' in read && request.hasBody ? bodyWith(read.bytes, member, extra) : undefined
  return {
    ...request,
    path: segments.join('/'),
    query: pairs.join('&'),
    ...(bytes === undefined ? {} : { readBody: async () => ({ bytes }) }),
  }
}

function bodyWith(bytes: Uint8Array, member: Change['member'], extra: Change['extra']): Uint8Array {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return bytes
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return bytes
  const members = Object.entries(value)
  if (member !== null && members.length > 0) {
    const at = member[0] % members.length
    if (member[1] === undefined) members.splice(at, 1)
    else members[at] = [members[at]?.[0] ?? '', member[1]]
  }
  if (extra !== null) members.push([...extra])
  return Buffer.from(`{${members.map(([name, item]) => `${JSON.stringify(name)}:${JSON.stringify(item)}`).join()}}`)
}

function assertInContract(
  { gateway, failures }: Subject,
  planned: PlannedOperation,
  reply: Reply,
  sent: Request,
): void {
  const about = `${sent.method} ${sent.path}?${sent.query} → ${reply.status} ${String(reply.body).slice(0, 300)}`
  assert.deepEqual(failures, [], about)
  assert.notEqual(reply.refusal?.problem.code, 'internal_error', about)
  // Another path may be that of another operation, or of none.
  const found = gateway.plan.find(sent.method, sent.path)
  if (found?.target.planned !== planned) return
  const fault = nonconformanceOf(planned.operation, reply)
  // A refusal with an undocumented status is answered nevertheless.
  const isSilent = ![...planned.operation.responses.keys()].some(status => /^2|^default$/.test(status))
  // Nor is there a better reply where no success is documented.
  if (fault === undefined || (fault.code === 'undocumented-status' && (reply.refusal !== undefined || isSilent))) return
  assert.fail(`${planned.operation.id}: ${fault.message}\n${about}`)
}

for (const file of FILES) {
  const subject = await subjectOf(file)
  fuzz(
    `${file}: replies are in contract`,
    fc.array(fc.tuple(fc.nat(), fc.option(change)), { minLength: 1, maxLength: 5 }),
    async sequence => {
      for (const [index, how] of sequence) {
        const [planned, request] = subject.operations[
          index % subject.operations.length
        ] as Subject['operations'][number]
        const sent = how === null ? request : await changed(request, how)
        assertInContract(subject, planned, await subject.gateway.handle(sent), sent)
      }
    },
  )
}
