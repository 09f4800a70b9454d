import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { ask as askOnce } from './ask.ts'
import { KEY, petStore } from './pet-store.ts'

const { ask, gateway, post, say } = await petStore()

interface Family {
  readonly name: string
  readonly type: string
  readonly samples: { name: string; labels: Record<string, string>; value: number }[]
}

const SUFFIXES: Readonly<Record<string, RegExp>> = { histogram: /_(?:bucket|sum|count)$/, summary: /_(?:sum|count)$/ }

/** Parses the text format strictly by its specification. */
function parsePage(text: string): Map<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line ends')
  const families = new Map<string, Family>()
  const series = new Set<string>()
  let help: string | undefined
  let current: Family | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line)
    if (comment !== null) {
      const [, kind, name = '', rest = ''] = comment
      if (kind === 'HELP') {
        assert.ok(!families.has(name), `${name} is told twice`)
        help = name
      } else {
        assert.equal(name, help, 'HELP and TYPE go together')
        assert.match(rest, /^(?:counter|gauge|histogram|summary|untyped)$/)
        current = { name, type: rest, samples: [] }
        families.set(name, current)
      }
      continue
    }
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? assert.fail(`no sample: ${line}`)
    const [, name = '', inside = '', number = ''] = sample
    const labels: Record<string, string> = {}
    let rest = inside
    while (rest !== '') {
      const [whole, key = '', value = ''] =
        /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/.exec(rest) ?? assert.fail(line)
      assert.ok(!Object.hasOwn(labels, key), line)
      labels[key] = value.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))
      rest = rest.slice(whole.length)
    }
    assert.ok(current, `${name} comes before its TYPE`)
    const suffix = SUFFIXES[current.type]
    assert.equal(
      suffix === undefined ? name : name.replace(suffix, ''),
      current.name,
      'samples stand with their family',
    )
    const key = `${name} ${JSON.stringify(Object.entries(labels).sort())}`
    assert.ok(!series.has(key), `${key} is there twice`)
    series.add(key)
    const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number)
    assert.ok(!Number.isNaN(value) || number === 'NaN', line)
    current.samples.push({ name, labels, value })
  }
  return families
}

const page = async () => {
  const { text, headers } = await askOnce(`${gateway.control}/metrics`)
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  return text
}

await ask('GET /v1/pets')
await ask('HEAD /v1/pets')
await ask('GET /v1/pets', '')
await ask('GET /v1/pets/1')
await post('{}')
for (const path of ['/a', '/b"\\', '/c/%0A', '/v1/nope']) await ask(`GET ${path}`)
await say(`PROPFIND /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}\r\n`)
await say('hello\r\n\r\n')

test('the page has the Prometheus text format, and the buckets of histograms add up', async () => {
  const families = parsePage(await page())
  let histograms = 0
  for (const { name, type, samples } of families.values()) {
    assert.match(
      name,
      type === 'counter' && !name.startsWith('process_') && !name.startsWith('nodejs_') ? /_total$/ : /./,
    )
    if (type !== 'histogram') continue
    for (const [labels, group] of groupBy(samples, labelsOf)) {
      histograms += 1
      const buckets = group.filter(one => one.name.endsWith('_bucket'))
      const bounds = buckets.map(({ labels: { le } }) => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)))
      assert.deepEqual(
        bounds,
        [...bounds].sort((a, b) => a - b),
        labels,
      )
      assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY)
      const counts = buckets.map(({ value }) => value)
      assert.deepEqual(
        counts,
        [...counts].sort((a, b) => a - b),
        'buckets are cumulative',
      )
      assert.equal(counts.at(-1), group.find(one => one.name.endsWith('_count'))?.value)
      assert.ok((group.find(one => one.name.endsWith('_sum'))?.value ?? -1) >= 0)
    }
  }
  assert.ok(histograms > 0)
})

test('requests have the labels of OpenTelemetry, and unknown paths share one', async () => {
  const samples = parsePage(await page()).get('http_server_request_duration_seconds')?.samples ?? []
  const counts = samples.filter(({ name }) => name.endsWith('_count'))
  for (const { labels } of counts) {
    assert.deepEqual(Object.keys(labels).sort(), [
      'http_request_method',
      'http_response_status_code',
      'http_route',
      'operation',
    ])
  }
  const routes = new Set(counts.map(({ labels }) => labels.http_route))
  assert.deepEqual([...routes].sort(), ['', '/v1/pets', '/v1/pets/{petId}'])
  const of = (method: string, status: string, route: string) =>
    counts.find(
      ({ labels }) =>
        labels.http_request_method === method &&
        labels.http_response_status_code === status &&
        labels.http_route === route,
    )?.value
  assert.equal(of('GET', '404', ''), 4)
  assert.equal(of('HEAD', '200', '/v1/pets'), 1)
  assert.equal(of('GET', '401', '/v1/pets'), 1)
  assert.equal(of('_OTHER', '405', ''), 1)
  assert.equal(of('POST', '400', '/v1/pets'), 1)
})

test('`promtool check metrics` passes', async () => {
  const { error, status, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await page(),
    encoding: 'utf8',
  })
  if (error === undefined) assert.equal(status, 0, stderr)
})

const labelsOf = ({ labels: { le: _, ...rest } }: Family['samples'][number]): string =>
  JSON.stringify(Object.entries(rest).sort())

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
