// Counts the files and functions of src/ that a warm request runs through. Run as a program, in a process without a bundle, it prints
// the counts of some requests to the pet store as JSON.

import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startGateway } from '../../src/index.ts'

const ROOT = join(import.meta.dirname, '../..')
const SRC = pathToFileURL(join(ROOT, 'src/')).href
/** Requests before the one that is measured. */
const WARM = 40
/** Measured requests of each kind. */
const TRIES = 3

export interface RequestPath {
  /** Relative to src/, in alphabetical order. */
  readonly files: readonly string[]
  /** `file function` of each function that was called. */
  readonly functions: readonly string[]
}

const REQUESTS: Readonly<Record<string, RequestInit & { readonly path: string }>> = {
  createPet: {
    path: '/v1/pets',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Rex', categoryId: 3 }),
  },
  listPets: { path: '/v1/pets?limit=20' },
  getPet: { path: '/v1/pets/1' },
}

async function measure(): Promise<Record<string, RequestPath>> {
  const gateway = await startGateway({ config: join(ROOT, 'config/gateway.yaml') })
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const paths: Record<string, RequestPath> = {}
  const origin = new URL(gateway.url).origin
  for (const [name, { path, headers, ...init }] of Object.entries(REQUESTS)) {
    const send = async () => {
      const reply = await fetch(origin + path, { ...init, headers: { authorization: 'Bearer demo-key', ...headers } })
      if (!reply.ok) throw new Error(`${name}: ${reply.status} ${await reply.text()}`)
      await reply.arrayBuffer()
      await new Promise(resolve => setImmediate(resolve))
    }
    for (let i = 0; i < WARM; i++) await send()
    // A timer of the gateway may fire while a request runs: the shortest of some paths is the request's own.
    for (let i = 0; i < TRIES; i++) {
      await session.post('Profiler.takePreciseCoverage')
      await send()
      const { result } = await session.post('Profiler.takePreciseCoverage')
      const functions = result
        .filter(({ url }) => url.startsWith(SRC))
        .flatMap(({ url, functions }) =>
          functions
            .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
            .map(
              ({ functionName, ranges }) =>
                `${url.slice(SRC.length)} ${functionName || `at ${ranges[0]?.startOffset}`}`,
            ),
        )
        .sort()
      const shortest = paths[name]?.functions.length ?? Number.POSITIVE_INFINITY
      if (functions.length >= shortest) continue
      paths[name] = { files: [...new Set(functions.map(one => one.split(' ')[0] as string))], functions }
    }
  }
  session.disconnect()
  await gateway.close()
  return paths
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await measure()))
