// Attempts of strangers, web pages and clients of the control plane to read data that they must not get.

import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from './program.ts'
import { attack } from './table.ts'

const KIND = 'strangers'
const KEY = { authorization: 'Bearer demo-key', 'content-type': 'application/json' }

attack(KIND, '1,500 requests without a key, each naming a world', async () => {
  const program = await startProgram('ignore')
  try {
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
    const created = await fetch(`${program.url}/v1/~qa/pets`, { method: 'POST', headers: KEY, body })
    assert.equal(created.status, 201)
    const { id } = (await created.json()) as { id: number }
    for (let i = 0; i < 1500; i += 50) {
      const some = Array.from({ length: 50 }, async (_, j) => {
        const reply = await fetch(`${program.url}/v1/~x${i + j}/pets`)
        await reply.arrayBuffer()
        return reply.status
      })
      assert.deepEqual([...new Set(await Promise.all(some))], [401])
    }
    assert.equal(await program.status(`/v1/~qa/pets/${id}`), 200)
    const worlds = (await (await fetch(`${program.control}/worlds`)).json()) as { worlds: { name: string }[] }
    assert.equal(JSON.stringify(worlds).includes('x1499'), false)
    return 'all 401; the sandbox of another is there, those of the strangers are not'
  } finally {
    await program.stop()
  }
})

attack(KIND, 'a page of another origin shows the control plane in a frame', async () => {
  const program = await startProgram('ignore')
  try {
    const framed = (dest: string) =>
      new Promise<{ status: number | undefined; frames: unknown }>((resolve, reject) => {
        const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': dest }
        request(`${program.control}/requests?path=*a*`, { headers }, res => {
          res.resume()
          resolve({ status: res.statusCode, frames: res.headers['content-security-policy'] })
        })
          .on('error', reject)
          .end()
      })
    for (const dest of ['iframe', 'frame', 'embed', 'object']) assert.equal((await framed(dest)).status, 403, dest)
    const link = await framed('document')
    assert.deepEqual(link, { status: 200, frames: "frame-ancestors 'none'" })
    return '403 for each; a link that somebody follows is answered, and cannot be framed'
  } finally {
    await program.stop()
  }
})

attack(KIND, 'PUT /config asks for the environment and for files elsewhere', async () => {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  const elsewhere = join(mkdtempSync(join(tmpdir(), 'understudy-')), 'secret.yaml')
  writeFileSync(elsewhere, 'hunter2: [')
  const contract = '{ openapi: 3.1.0, info: { title: T, version: "1" }, paths: {} }'
  writeFileSync(join(home, 'gateway.yaml'), `contract: ${contract}\nseed: 1\n`)
  const program = await startProgram('ignore', [join(home, 'gateway.yaml')])
  try {
    const put = async (text: string) => {
      const headers = { 'content-type': 'application/yaml' }
      const reply = await fetch(`${program.control}/config`, { method: 'PUT', headers, body: text })
      return `${reply.status} ${await reply.text()}`
    }
    const environment = await put(`contract: ${contract}\nerrors: { body: { a: "\${PATH}" } }\n`)
    assert.match(environment, /^422 .*missing-variable/s)
    const file = await put(`contract: ${elsewhere}\n`)
    assert.match(file, /^422 .*outside-file/s)
    assert.doesNotMatch(environment + file, /hunter2|\/bin/)
    assert.match(await put(`contract: ${contract}\nseed: 2\n`), /^200 /)
    return '422 for both, nothing of either shown'
  } finally {
    await program.stop()
  }
})

attack(KIND, 'a credential as a path and as the name of a world', async () => {
  const program = await startProgram(['ignore', 'ignore', 'pipe'])
  let log = ''
  program.child.stderr?.on('data', chunk => {
    log += chunk
  })
  try {
    assert.equal(await program.status('/v1/demo-key'), 404)
    assert.equal(await program.status('/v1/~demo-key/pets'), 400)
    const named = await fetch(`${program.url}/v1/pets`, { headers: { ...KEY, 'understudy-world': 'demo-key' } })
    assert.equal(named.status, 400)
    assert.equal((await fetch(`${program.control}/worlds/demo-key`)).status, 404)
    assert.equal(await program.stop(), 0)
    assert.ok(log.includes('/v1/***'), log)
    assert.doesNotMatch(log, /demo-key/)
    return 'masked in the log; no world of that name'
  } finally {
    program.child.kill('SIGKILL')
  }
})
