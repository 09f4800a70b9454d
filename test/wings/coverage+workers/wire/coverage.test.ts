import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CoverageReport } from '../../../../src/index.ts'
import { ROOT } from '../../../support/program-paths.ts'
import { until } from '../../../support/until.ts'
import { FREE_PORTS, understudy } from '../../../wire/start-program.ts'

test('the coverage of several workers is that of the program', async () => {
  const contract = join(ROOT, 'config/openapi.yaml')
  const child = understudy(contract, '--workers', '2', ...FREE_PORTS, '--no-watch')
  try {
    const api = await until(() => /API +(http:\S+)/.exec(child.output())?.[1])
    const control = await until(() => /Control plane +(http:\S+)/.exec(child.output())?.[1])
    const read = async () => (await (await fetch(`${control}/coverage`)).json()) as CoverageReport
    // Connections are dealt in turn: each worker answers one of them.
    for (const pet of [{ name: 'Rex', categoryId: 3 }, { name: 7 }]) {
      const headers = { authorization: 'Bearer demo-key', 'content-type': 'application/json', connection: 'close' }
      await fetch(`${api}/pets`, { method: 'POST', headers, body: JSON.stringify(pet) })
    }
    const created = (await read()).operations.find(({ operation }) => operation === 'createPet')
    assert.equal(created?.requests, 2)
    const seen = created?.items.filter(one => one.seen && one.kind === 'status').map(({ name }) => name)
    assert.deepEqual(seen, ['201', '400'])
    await fetch(`${control}/coverage`, { method: 'DELETE' })
    assert.equal((await read()).seen, 0)
  } finally {
    child.kill('SIGKILL')
  }
})
