import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { entryOf, writeHar } from '../../../../src/gateway/journal/har.ts'
import { startGateway } from '../../../../src/index.ts'
import type { LiveDriftReport } from '../../../../src/wings/drift/types.ts'
import { run } from '../../../wire/run-program.ts'
import { lyingContract, plantedParts, type SeenExchange, startLyingServer } from './lying-server.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-lies-'))
const contract = join(home, 'contract.json')
const text = JSON.stringify(lyingContract, null, 2)
writeFileSync(contract, text)
after(() => rmSync(home, { recursive: true, force: true }))

/** The lines of a baseline, without the name of the file. */
const partsIn = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => line.replace(/ \S*contract\.json#/, ' #'))

const harOf = (seen: readonly SeenExchange[]): string =>
  writeHar(
    seen.map(({ request, status, headers, body }, i) => {
      const { pathname, search } = new URL(request.url ?? '', 'http://localhost')
      const sent = { headers: {}, body: undefined, isPartial: false }
      const reply = { status, headers, body: body.length === 0 ? undefined : body, isPartial: false }
      const origin = 'https://api.example.com'
      const about = { at: 1_750_000_000_000 + i, latency: 1, method: request.method ?? '', origin }
      return entryOf({ ...about, path: pathname, query: search.slice(1), request: sent, reply })
    }),
    'test',
  )

describe('a server with twenty lies, and its truthful twin', async () => {
  const liar = await startLyingServer(true)
  const twin = await startLyingServer(false)
  const baseline = join(home, 'accepted')
  const check = (url: string, ...more: string[]) =>
    run(['check', contract, '--against', url, '--rate', '1000/s', ...more]).ended
  const closing: (() => Promise<unknown>)[] = [() => liar.close(), () => twin.close()]
  after(async () => {
    for (const close of closing.reverse()) await close()
  })

  test('check --against names the twenty, at their parts of the contract', async () => {
    const { code, err } = await check(liar.url, '--baseline', baseline, '--accept')
    assert.equal(code, 0, err)
    assert.deepEqual(partsIn(baseline), plantedParts)
  })

  test('each finding is at the line of its part', async () => {
    const { code, out } = await check(liar.url, '--format', 'json')
    const { errors, diagnostics } = JSON.parse(out)
    assert.deepEqual([code, errors], [1, 20])
    const lines = text.split('\n')
    for (const { subject, code: kind, line } of diagnostics) {
      const planted = plantedParts.find(one => one.startsWith(`${subject} ${kind} `)) ?? ''
      const keys = (planted.split('#')[1] ?? '').split('/').slice(-3)
      // A field that the contract lacks is at its schema.
      assert.ok(
        keys.some(key => lines[line - 1]?.includes(`"${key}"`)),
        `${planted}: line ${line}: ${lines[line - 1]}`,
      )
    }
  })

  test('a baseline keeps accepted differences out of the report', async () => {
    const all = await check(liar.url, '--baseline', baseline)
    assert.deepEqual([all.code, all.err], [0, ''])
    assert.match(all.out, /^0 differences, and 20 accepted$/m)
    const others = readFileSync(baseline, 'utf8').split('\n').slice(1).join('\n')
    writeFileSync(join(home, 'fewer'), `# accepted in June\n\n${others}`)
    const fewer = await check(liar.url, '--baseline', join(home, 'fewer'), '--format', 'junit')
    assert.equal(fewer.code, 1)
    assert.match(fewer.out, /<testsuites name="understudy" tests="1" failures="1" errors="0">/)
  })

  test('the truthful twin has no difference', async () => {
    const { code, out, err } = await check(twin.url)
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^0 differences\n\d+ requests to 127\.0\.0\.1:\d+\n$/)
  })

  test('a gateway that forwards names them, and counts each once', async () => {
    const config = join(home, 'gateway.json')
    const named = (url: string) =>
      writeFileSync(config, JSON.stringify({ contract, upstream: { url }, defaults: { respond: { forward: {} } } }))
    const follow = async (url: string, seen: readonly SeenExchange[]) => {
      named(url)
      const gateway = await startGateway({ config, port: 0, controlPort: 0 })
      closing.push(() => gateway.close())
      // Its own requests are seen, too.
      for (const target of seen.map(({ request }) => request.url)) {
        for (let times = 0; times < 2; times++) await (await fetch(`${gateway.url}${target}`)).arrayBuffer()
      }
      const drift = run(['drift', gateway.control, '--baseline', join(home, 'live'), '--accept']).ended
      const { code, err } = await drift
      assert.equal(code, 0, err)
      const report = (await (await fetch(`${gateway.control}/drift`)).json()) as LiveDriftReport
      const metrics = await (await fetch(`${gateway.control}/metrics`)).text()
      return { report, metrics }
    }
    const { report, metrics } = await follow(liar.url, [...liar.seen])
    assert.deepEqual(partsIn(join(home, 'live')), plantedParts)
    assert.deepEqual([report.omitted, report.dropped], [0, 0])
    const missing = report.findings.find(({ operation }) => operation === 'missingField')
    assert.deepEqual(
      [missing?.where, missing?.contract, missing?.standIn, missing?.upstream],
      ['/title', 'is required', 'string', 'absent'],
    )
    assert.equal(missing?.example, 'GET /missingField → 200')
    assert.match(metrics, new RegExp(`^understudy_drift_total.*missingField.* ${missing?.count}$`, 'm'))
    assert.deepEqual((await follow(twin.url, [...twin.seen])).report.findings, [])
  })

  test('a recording of each gives the same', async () => {
    const accepted = join(home, 'from-har')
    const [lies, truth] = [join(home, 'lies.har'), join(home, 'truth.har')]
    writeFileSync(lies, harOf(liar.seen))
    writeFileSync(truth, harOf(twin.seen))
    const drift = (file: string, ...more: string[]) => run(['drift', file, '--config', contract, ...more]).ended
    const named = await drift(lies, '--baseline', accepted, '--accept')
    assert.equal(named.code, 0, named.err)
    assert.deepEqual(partsIn(accepted), plantedParts)
    const none = await drift(truth)
    assert.deepEqual([none.code, none.err], [0, ''])
    assert.match(none.out, /^0 differences\n\d+ exchanges of /)
    const missing = await drift('gone.har')
    assert.deepEqual([missing.code, missing.out], [1, ''])
    assert.match(missing.err, /^gone\.har:1:1 error unreadable-file: /)
  })
})
