import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readContract } from '../../../src/contract/document/read-contract.ts'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { parseSource } from '../../../src/kernel/file/read-source.ts'
import { houseWith } from '../../../src/plan/house.ts'
import { inferGateway } from '../../../src/wings/infer/infer.ts'

const golden = new URL('../../golden/inference/', import.meta.url)

test('every inferred line has its reason', async () => {
  const file = '/api/library.yaml'
  const report = new Diagnostics()
  const source = parseSource('library.yaml', readFileSync(new URL('library.yaml', golden), 'utf8'), report)
  assert.ok(source)
  const contract = readContract({ file, source }, '/api', report)
  assert.ok(contract)
  const { plan, ...inferred } = await inferGateway(contract, { file, home: '/api', house: houseWith() })
  assert.equal(inferred.describe(), readFileSync(new URL('library.gateway.yaml', golden), 'utf8'))
  assert.deepEqual(
    [...plan.simulation.resources.values()].map(({ seeds }) => seeds.length),
    [5, 5, 5],
  )
})

test('the inferred file says how it was tried', async () => {
  const file = '/api/library.yaml'
  const report = new Diagnostics()
  const source = parseSource('library.yaml', readFileSync(new URL('library.yaml', golden), 'utf8'), report)
  const contract = source && readContract({ file, source }, '/api', report)
  assert.ok(contract)
  const { plan, ...inferred } = await inferGateway(contract, { file, home: '/api', house: houseWith() })
  const written = parseSource('gateway.yaml', inferred.describe(), report)
  assert.deepEqual(written?.value, plan.simulation.source.value)
})
