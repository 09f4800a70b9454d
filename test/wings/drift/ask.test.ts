import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askWhole } from '../../../src/wings/drift/ask.ts'
import type { Upstream, UpstreamRequest, UpstreamSettings } from '../../../src/wings/real-api/upstream.ts'

const REQUEST: UpstreamRequest = { method: 'GET', path: '/books', headers: {} }

/** A real API whose body ends with an error once `until` resolves. */
const breaking = (until: (request: UpstreamRequest) => Promise<unknown>): Upstream => ({
  async send(request) {
    async function* body() {
      yield Buffer.from('[')
      await until(request)
      throw new Error('aborted')
    }
    return { status: 200, fields: [], body: body(), trailers: () => ({}) }
  },
  close: async () => {},
})

test('a reply that breaks off counts as missing', async () => {
  const reply = await askWhole(
    breaking(async () => {}),
    REQUEST,
    {} as UpstreamSettings,
    1000,
  )
  assert.deepEqual([reply.status, reply.fault], [0, 'the reply broke off'])
})

test('a reply whose body takes too long counts as missing', async () => {
  const late = ({ signal }: UpstreamRequest) => new Promise<void>(resolve => signal?.addEventListener('abort', resolve))
  const reply = await askWhole(breaking(late), REQUEST, {} as UpstreamSettings, 0)
  assert.deepEqual([reply.status, reply.fault], [0, 'no whole reply within 0 s'])
})
