import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startGateway } from '../../../../src/index.ts'
import { answers, documentOf, object } from '../../../support/small-document.ts'
import { ask } from '../../../wire/ask.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))

const get = (operationId: string, example: object = {}) => ({
  get: { operationId, ...answers(200, { ...object({}), example }) },
})

/** Starts a gateway with these files, the first of which is the configuration. Returns its control plane. */
async function serve(files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  const gateway = await startGateway({ config: join(home, Object.keys(files)[0] as string) })
  after(() => gateway.close())
  return gateway.control
}

test('the operations that are listed are those of the world', async () => {
  const control = await serve({
    'gateway.yaml': 'contract: ./now.json\nworlds: { named: { next: { contract: ./next.json } } }\n',
    'now.json': JSON.stringify(documentOf({ '/books': get('listBooks') }, {})),
    'next.json': JSON.stringify(documentOf({ '/books': get('listBooks'), '/authors': get('listAuthors') }, {})),
  })
  const listed = async (query: string) => {
    const { body } = await ask(`${control}/operations${query}`)
    return (body as { operations: { operation: string }[] }).operations.map(({ operation }) => operation)
  }
  assert.deepEqual(await listed('?world=next'), ['listBooks', 'listAuthors'])
  assert.deepEqual(await listed(''), ['listBooks'])
  assert.equal((await ask(`${control}/operations/listAuthors?world=next`)).status, 200)
  assert.equal((await ask(`${control}/operations/listAuthors`)).status, 404)
})

test('an operation whose examples have decimals of any length is shown', async () => {
  const document = JSON.stringify(documentOf({ '/price': get('getPrice', { amount: 'AMOUNT' }) }, {}))
  for (const amount of ['1.10', '12345678901234567890.12345678901234567890']) {
    const control = await serve({ 'prices.json': document.replace('"AMOUNT"', amount) })
    assert.equal((await ask(`${control}/operations/getPrice`)).status, 200)
  }
})
