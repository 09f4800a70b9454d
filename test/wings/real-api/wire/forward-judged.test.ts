import assert from 'node:assert/strict'
import { request, type ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { realApiObserver } from '../../../../src/wings/real-api/observe.ts'
import { closeAll, closing, DOCUMENT, stand, standOpen } from './forwarding.ts'

after(closeAll)

/** Reads the newest request of the journal once `isReady` holds for it. */
async function newest(control: string, isReady: (one: Recorded) => boolean): Promise<Recorded> {
  for (;;) {
    const { requests } = (await (await fetch(`${control}/requests`)).json()) as { requests: Recorded[] }
    const found = requests.find(isReady)
    if (found !== undefined) return found
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
interface Recorded {
  readonly replied?: string
  readonly upstreamMs?: number
  readonly injected?: { readonly delayMs?: number; readonly notes?: readonly string[] }
}

test('a reply that breaks the contract is passed on, and said in header, journal and metrics', async () => {
  const packed = gzipSync('{"id":7}')
  let finish = () => {}
  const answers: ((res: ServerResponse) => unknown)[] = [
    res => res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(packed),
    res => res.writeHead(202).end(),
    res => {
      res.writeHead(200, { 'content-type': 'application/json' }).write('{"late":')
      finish = () => res.end('1}')
    },
    res => res.writeHead(200, { 'content-type': 'application/json' }).end(`[${' '.repeat(2_000_000)}]`),
    res => res.writeHead(200, { 'content-type': 'application/json' }).end('[{}]'),
  ]
  const { real, url, gateway } = await stand((_, res) => answers.shift()?.(res))
  closing.push(() => real.close())
  const warningOf = (reply: Response) => reply.headers.get('understudy-warning')
  const first = await fetch(`${url}/pets`)
  assert.equal(
    warningOf(first),
    'the real API answered 200 with a body that breaks its schema: the body must be an array',
  )
  assert.deepEqual(await first.json(), { id: 7 })
  assert.equal(warningOf(await fetch(`${url}/pets`)), 'the real API answered 202, which is not documented')
  const late = await fetch(`${url}/pets`)
  assert.equal(warningOf(late), null)
  finish()
  assert.deepEqual(await late.json(), { late: 1 })
  const has = (text: string) => (one: Recorded) => one.injected?.notes?.some(note => note.includes(text)) === true
  const seen = await newest(gateway.control, has('breaks its schema'))
  assert.equal(seen.replied, 'upstream')
  assert.ok((seen.upstreamMs ?? 0) > 0)
  assert.equal(seen.injected?.delayMs, undefined)
  assert.equal((await (await fetch(`${url}/pets`)).text()).length, 2_000_002)
  await newest(gateway.control, has('not judged: it is larger than 1000000 bytes'))
  assert.equal(warningOf(await fetch(`${url}/pets`)), null)
  const page = await (await fetch(`${gateway.control}/metrics`)).text()
  assert.match(page, /understudy_upstream_violations_total\{operation="listPets"\} 3/)
  assert.match(page, /understudy_replies_total\{operation="listPets",replied="upstream"\} 5/)
  assert.match(page, /understudy_upstream_duration_seconds_count\{operation="listPets"\} 5/)
})

test('a compression bomb is passed on, and judged up to the limit only', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, ' '))
  const { real, url, gateway } = await stand((_, res) =>
    res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
  )
  closing.push(() => real.close())
  const reply = await new Promise<number>((resolve, reject) => {
    const sent = request(`${url}/pets`, { agent: false }, res => {
      let size = 0
      res.on('data', part => {
        size += part.length
      })
      res.on('end', () => resolve(size))
    })
    sent.on('error', reject).end()
  })
  assert.equal(reply, bomb.length)
  await newest(gateway.control, one => one.injected?.notes?.some(note => note.includes('not judged')) === true)
})

test('the control plane does not change the address of the real API', async () => {
  const { real, url, gateway } = await stand((_, res) => res.writeHead(200).end('[]'))
  closing.push(() => real.close())
  const config = {
    contract: DOCUMENT,
    upstream: { url: 'http://127.0.0.1:1' },
    defaults: { respond: { forward: {} } },
  }
  const put = await fetch(`${gateway.control}/config`, {
    method: 'PUT',
    headers: { 'content-type': 'application/yaml' },
    body: JSON.stringify(config),
  })
  assert.ok(put.status >= 400, `${put.status}`)
  assert.match(await put.text(), /fixed-upstream.*cannot be changed from here/)
  assert.equal((await fetch(`${url}/pets`)).status, 200)
})

test('a reply is not judged once the time for judging has run out, unless its bytes are known', async () => {
  const body = (req: { url?: string | undefined }) => (req.url?.endsWith('new') ? '{"new":1}' : '{"known":1}')
  const { gateway, serving } = await standOpen((req, res) =>
    res.writeHead(200, { 'content-type': 'application/json' }).end(body(req)),
  )
  const judging = gateway.observed(realApiObserver).judging
  const warningOf = async (query: string) =>
    (await fetch(`${serving.origin}/v1/pets?${query}`)).headers.get('understudy-warning')
  const breaks = 'the real API answered 200 with a body that breaks its schema: the body must be an array'
  assert.equal(await warningOf('known'), breaks)
  judging.spend(1_000_000)
  assert.equal(await warningOf('new'), 'body of the reply not judged: too many at once')
  assert.equal(await warningOf('known'), breaks)
  judging.spend(-1_000_000)
  await newest(
    serving.controlOrigin,
    one => one.injected?.notes?.some(note => note.includes('too many at once')) === true,
  )
  assert.equal(await warningOf('new'), breaks)
})
