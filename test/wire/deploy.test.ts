import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'

const read = (name: string): string => readFileSync(`deploy/${name}`, 'utf8')

test('the manifest of Kubernetes names the version of the package only', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
  const versions = [...read('kubernetes.yaml').matchAll(/understudy:(\d[\d.]*)/g)].map(([, name]) => name)
  assert.ok(versions.length >= 3)
  assert.deepEqual([...new Set(versions)], [version])
})

test('promtool accepts the configuration and the rules', () => {
  for (const [what, file] of [
    ['config', 'prometheus.yml'],
    ['rules', 'prometheus-rules.yml'],
  ] as const) {
    const { error, status, stdout, stderr } = spawnSync('promtool', ['check', what, `deploy/${file}`], {
      encoding: 'utf8',
    })
    // Without promtool the test only checks that the files are YAML.
    if (error !== undefined) assert.equal(typeof parse(read(file)), 'object')
    else assert.equal(status, 0, stdout + stderr)
  }
})

test('promtool tests the rules: one live call raises an alert, a rehearsal none', () => {
  const { error, status, stdout, stderr } = spawnSync(
    'promtool',
    ['test', 'rules', 'test/wire/prometheus-rules.test.yml'],
    {
      encoding: 'utf8',
    },
  )
  if (error === undefined) assert.equal(status, 0, stdout + stderr)
})
