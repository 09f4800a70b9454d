import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { documentOf } from '../../../support/small-document.ts'
import { until } from '../../../support/until.ts'
import { FREE_PORTS, originOf, understudy } from '../../../wire/start-program.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))

test('a changed overlay is served without a restart', async () => {
  const [document, overlay] = [join(home, 'plain.json'), join(home, 'more.overlay.yaml')]
  const overlayOf = (path: string) =>
    `overlay: 1.1.0\ninfo: { title: More, version: 1.0.0 }\nactions: [{ target: $.paths, update: { ${path}: { get: { responses: { '204': { description: Done } } } } } }]\n`
  writeFileSync(document, JSON.stringify(documentOf({}, {})))
  writeFileSync(overlay, overlayOf('/first'))
  const child = understudy(document, '--overlay', overlay, ...FREE_PORTS)
  after(() => child.kill('SIGKILL'))
  const origin = await until(() => originOf(child))
  const statusOf = async (path: string) => (await fetch(origin + path)).status
  assert.equal(await statusOf('/first'), 204)
  writeFileSync(overlay, overlayOf('/second'))
  await until(async () => (await statusOf('/second')) === 204)
  assert.equal(await statusOf('/first'), 404)
})
