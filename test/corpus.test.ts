import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { test } from 'node:test'
import { Answers } from '../src/contract/answer/answers.ts'
import { compileRefusals } from '../src/contract/answer/refusals.ts'
import { responseFor } from '../src/contract/contract.ts'
import { nonconformanceOf } from '../src/contract/judge.ts'
import { problemOf } from '../src/kernel/http.ts'
import { formatDiagnostics } from '../src/kernel/report.ts'
import { CORPUS } from './support/corpus.ts'
import { loadPlan } from './support/load.ts'
import { ROOT } from './support/pages.ts'

for (const path of CORPUS) {
  const document = basename(path)
  const { plan, report } = loadPlan(path, ROOT, {})
  const operations = plan?.contract.operations ?? []

  test(`${document}: every operation answers what it documents, in every status and media type`, () => {
    assert.ok(plan, formatDiagnostics(report.list))
    for (const operation of operations) {
      const answers = new Answers(operation, () => undefined)
      for (const [key, { content }] of operation.responses) {
        const status = key === 'default' ? 599 : Number(key.replace('XX', '07'))
        for (const accept of [undefined, ...content.keys()]) {
          for (const seed of [1, 2, 3]) {
            const given = { parameters: [], body: undefined }
            const scene = { example: undefined, method: operation.method, path: '/', host: undefined }
            const reply = answers.reply({ ...scene, given, status, accept, seed, dynamic: seed === 3 })
            const where = `${operation.id} ${status} ${accept} ${String(reply.body)}`
            assert.equal(reply.status, status, where)
            assert.equal(reply.headers['understudy-warning'], undefined, where)
            assert.equal(nonconformanceOf(operation, reply)?.message, undefined, where)
            assert.deepEqual(
              answers.reply({ ...scene, given, status, accept, seed, dynamic: seed === 3 }),
              reply,
              where,
            )
          }
        }
      }
    }
  })

  test(`${document}: refusals have their documented shape`, () => {
    assert.ok(plan, formatDiagnostics(report.list))
    for (const operation of operations) {
      const shape = compileRefusals(operation, plan.contract)
      for (const status of [400, 401, 404, 422, 500]) {
        if (responseFor(operation, status) === undefined) continue
        const written = shape({ problem: problemOf(status), status, detail: 'something is wrong: '.repeat(9) })
        if (written === undefined) continue
        const reply = { status, headers: { 'content-type': written.contentType }, body: written.body }
        assert.equal(nonconformanceOf(operation, reply)?.message, undefined, `${operation.id} ${String(written.body)}`)
      }
    }
  })
}
