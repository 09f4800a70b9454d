// Memory is bounded: above the bound writes are refused, other requests are answered, and the process survives.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { watchMemory } from '../../src/gateway/worlds/memory.ts'
import { PROGRAM } from '../support/built-program.ts'
import { notesContract } from '../support/notes.ts'
import { startProgram } from './program.ts'
import { attack } from './table.ts'

const KIND = 'memory'
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const SMALL = ['--max-old-space-size=64']
const GATEWAY = `
contract: ./openapi.yaml
operations:
  listNotes: { respond: { list: notes } }
  addNote: { respond: { create: notes } }
  getNote: { respond: { read: notes } }
  deleteNote: { respond: { delete: notes } }
`

async function inFolder<Result>(
  files: Record<string, string>,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'memory-'))
  try {
    for (const [name, text] of Object.entries({ 'openapi.yaml': notesContract(), ...files }))
      writeFileSync(join(folder, name), text)
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

attack(KIND, '600 records of 200 kB in place of one another with a state file and 128 MB of memory', () =>
  inFolder(
    { 'gateway.yaml': `${GATEWAY}resources: { notes: { schema: Note } }\nstate: { file: ./notes.state }\n` },
    async folder => {
      const program = await startProgram('ignore', [join(folder, 'gateway.yaml')], ['--max-old-space-size=128'])
      const body = JSON.stringify({ text: 'x'.repeat(200_000) })
      const headers = { 'content-type': 'application/json' }
      let code: number | string | null
      try {
        assert.equal((await fetch(`${program.url}/notes`, { method: 'POST', headers, body })).status, 201)
        for (let i = 0; i < 600; i++) {
          const reply = await fetch(`${program.url}/notes/1`, { method: 'PUT', headers, body })
          await reply.arrayBuffer()
          assert.equal(reply.status, 200)
        }
      } finally {
        code = await program.stop()
      }
      assert.equal(code, 0)
      return 'every request is answered: the history forgets the oldest records'
    },
  ),
)

attack(KIND, '10 pages of a full journal at once with 128 MB of memory', () =>
  inFolder(
    {
      'gateway.yaml': `${GATEWAY}resources: { notes: { schema: Note, maxRecords: 1 } }\njournal: { size: 1GB, bodies: 1MB }\n`,
    },
    async folder => {
      const program = await startProgram('ignore', [join(folder, 'gateway.yaml')], ['--max-old-space-size=128'])
      let code: number | string | null
      try {
        for (let i = 0; i < 50; i++) {
          const headers = { 'content-type': 'application/json' }
          await (await fetch(`${program.url}/notes`, { method: 'POST', headers, body: BODY })).arrayBuffer()
        }
        const pages = await Promise.all(
          Array.from({ length: 10 }, async () => {
            const reply = await fetch(`${program.control}/requests?limit=1000`)
            return [reply.status, (await reply.arrayBuffer()).byteLength > 1e6]
          }),
        )
        assert.deepEqual(pages, Array(10).fill([200, true]))
      } finally {
        code = await program.stop()
      }
      assert.equal(code, 0)
      return '10 times 200'
    },
  ),
)

const BODY = JSON.stringify({ text: 'x'.repeat(900_000) })

for (const [bound, settings] of [
  ['the share of the heap', ''],
  ['the heap itself', 'worlds: { maxBytes: 1GB }\n'],
]) {
  attack(KIND, `60 creates of 900 kB with 64 MB of memory, bounded by ${bound}`, () =>
    inFolder({ 'gateway.yaml': `${GATEWAY}resources: { notes: { schema: Note } }\n${settings}` }, async folder => {
      const program = await startProgram('ignore', [join(folder, 'gateway.yaml')], SMALL)
      const create = async () => {
        const headers = { 'content-type': 'application/json' }
        const reply = await fetch(`${program.url}/notes`, { method: 'POST', headers, body: BODY })
        const said = await reply.text()
        return { status: reply.status, type: reply.headers.get('content-type'), said }
      }
      let created = 0
      let code: number | string | null
      try {
        for (let i = 0; i < 60; i++) {
          const { status, type, said } = await create()
          if (status === 201) created += 1
          else {
            assert.equal(status, 507, said.slice(0, 300))
            assert.equal(type, 'application/problem+json')
            assert.equal((JSON.parse(said) as { code: string }).code, 'insufficient_storage')
          }
        }
        assert.ok(created > 5 && created < 60, `${created}`)
        assert.equal(await program.status('/notes/1'), 200)
        assert.ok((await program.metric('understudy_world_bytes{kind="permanent"}')) > 1.8e6 * created)
        for (let id = 1; id <= created; id++) {
          assert.equal((await fetch(`${program.url}/notes/${id}`, { method: 'DELETE' })).status, 204)
        }
        assert.equal(await program.metric('understudy_world_bytes{kind="permanent"}'), 0)
        assert.equal((await create()).status, 201)
      } finally {
        code = await program.stop()
      }
      assert.equal(code, 0)
      return `${created} created, then 507; reads and deletes answered, and a create after these`
    }),
  )
}

attack(KIND, '60 creates of 900 kB in place of one another with 64 MB of memory and a journal of 1 GB', () =>
  inFolder(
    {
      'gateway.yaml': `${GATEWAY}resources: { notes: { schema: Note, maxRecords: 1 } }\njournal: { size: 1GB, bodies: 1MB }\n`,
    },
    async folder => {
      const program = await startProgram('ignore', [join(folder, 'gateway.yaml')], SMALL)
      let code: number | string | null
      try {
        for (let i = 0; i < 60; i++) {
          const headers = { 'content-type': 'application/json' }
          const reply = await fetch(`${program.url}/notes`, { method: 'POST', headers, body: BODY })
          await reply.arrayBuffer()
          assert.equal(reply.status, 201)
        }
        const kept = (await (await fetch(`${program.control}/requests?limit=100`)).json()) as { total: number }
        assert.ok(kept.total > 0 && kept.total < 30, `${kept.total}`)
      } finally {
        code = await program.stop()
      }
      assert.equal(code, 0)
      return 'every request is answered, and the journal keeps the last ones'
    },
  ),
)

attack(KIND, 'a heap that is full and no sandbox left to evict', async () => {
  let evictions = 2
  const measured: number[] = []
  const memory = {
    budget: { measured: (used: number) => void measured.push(used) },
    relieve: () => evictions-- > 0,
  }
  const timer = setInterval(collectGarbage, 20)
  await new Promise<void>(resolve => {
    const stop = watchMemory(
      memory,
      () => {
        stop()
        resolve()
      },
      1,
    )
  })
  clearInterval(timer)
  assert.equal(evictions, -2)
  assert.ok(measured.every(used => used > 1e6))
  return 'evicts first, then says after two collections that memory has run out'
})

attack(KIND, 'a seed of 400,000 records with 64 MB of memory', () => {
  const seed = `[${Array.from({ length: 400_000 }, (_, i) => `{"id":${i + 1},"text":"note ${i}"}`).join(',\n')}]`
  const gateway = `${GATEWAY}resources: { notes: { schema: Note, seed: ./seed.json, maxRecords: 1000000 } }\n`
  return inFolder({ 'gateway.yaml': gateway, 'seed.json': seed }, async folder => {
    const args = [...SMALL, PROGRAM, 'serve', join(folder, 'gateway.yaml'), '--port', '0']
    const child = spawn(process.execPath, [...args, '--control-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', chunk => {
      said += chunk
    })
    const code = await new Promise(resolve => child.once('close', resolve))
    assert.equal(code, 1, said)
    assert.match(said, /gateway\.yaml:8:\d+ error seed-too-large: the seeds up to .*seed\.json take about \d+ MB/)
    assert.match(said, /--max-old-space-size=\d+/)
    return 'seed-too-large with its place, exit code 1'
  })
})

/**
 * Fills the heap after the signal, like an unbounded cache. Several megabytes between two collections: the engine aborts a process
 * that collects four times without success.
 */
const LEAK = `data:text/javascript,${encodeURIComponent(
  "const kept = []; process.once('SIGUSR2', () => setInterval(() => kept.push(Array.from({ length: 60000 }, (_, i) => i + 0.5)), 4))",
)}`

attack(KIND, 'memory that something else fills, with 256 MB of it', async () => {
  const program = await startProgram(['ignore', 'ignore', 'pipe'], [], ['--max-old-space-size=256', '--import', LEAK])
  let said = ''
  program.child.stderr?.on('data', chunk => {
    said += chunk
  })
  try {
    const ended = new Promise(resolve => program.child.once('close', resolve))
    assert.equal(await program.status('/v1/pets?limit=1'), 200)
    program.child.kill('SIGUSR2')
    assert.equal(await ended, 3, said.slice(-2000))
    assert.match(said, /understudy: out of memory; .*--max-old-space-size=4096/)
    return 'a message that says what to do, exit code 3'
  } finally {
    program.child.kill('SIGKILL')
  }
})
