import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { startGateway } from '../../../../src/index.ts'
import { CONTRACT } from '../../../simulate.ts'
import { fileOf } from '../../../support/in-process.ts'
import { ask } from '../../../wire/ask.ts'

const read = (name: string): string => readFileSync(`deploy/${name}`, 'utf8')

const EVERYTHING = `${CONTRACT}
operations:
  listThings:
    latency: { fixed: 1ms }
    capacity: { concurrency: 1 }
    rateLimit: { limit: 1/h }
    fault: { kind: status, status: 503, every: 2 }
    deprecation: { since: 2020-01-01, sunset: 2100-01-01 }
    respond: { list: things }
`

/** The metric names in an expression, without those that a rule records. */
const namesIn = (expression: string): string[] =>
  [...expression.matchAll(/[a-z_:][a-z0-9_:]*/g)]
    .map(([name]) => name)
    .filter(name => /^(?:understudy|http_server|process|nodejs)_[a-z0-9_]+$/.test(name))

test('every metric of the dashboard and the rules is exported', async () => {
  const dashboard = JSON.parse(read('grafana-dashboard.json')) as { panels: { targets: { expr: string }[] }[] }
  const rules = parse(read('prometheus-rules.yml')) as { groups: { rules: { expr: string }[] }[] }
  const expressions = [
    ...dashboard.panels.flatMap(({ targets }) => targets),
    ...rules.groups.flatMap(group => group.rules),
  ].map(({ expr }) => expr)
  const names = new Set(expressions.flatMap(namesIn))
  assert.ok(names.size > 8, `${names.size} names`)

  const gateway = await startGateway({ config: fileOf(EVERYTHING) })
  try {
    await Promise.all([1, 2, 3].map(() => fetch(`${gateway.url}/things`)))
    const page = await (await fetch(`${gateway.control}/metrics`)).text()
    assert.deepEqual(
      [...names].filter(name => !new RegExp(`^${name}[{ ]`, 'm').test(page)),
      [],
    )
  } finally {
    await gateway.close()
  }
})

test('uses of deprecated operations and inputs are available as CSV', async () => {
  const gateway = await startGateway({ config: fileOf(EVERYTHING) })
  try {
    const { headers, text } = await ask(`${gateway.control}/deprecations`, { headers: { accept: 'text/csv' } })
    assert.match(String(headers['content-type']), /^text\/csv/)
    const [head, row] = text.split('\r\n')
    assert.match(head ?? '', /^operation,input,method,path,since,sunset,daysLeft,consumer,calls/)
    assert.match(row ?? '', /^listThings,,GET,\/things,2020-01-01,2100-01-01,\d+,,0,,$/)
  } finally {
    await gateway.close()
  }
})
