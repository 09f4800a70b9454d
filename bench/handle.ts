// Measures what a request costs inside the gateway, without sockets, beside the same at another commit: processor time of
// `Gateway.handle` in two processes that take turns. It finds losses of a few per cent that the noise of sockets hides.

import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure } from './figures.ts'
import { spreadOf } from './spread.ts'
import { HOME } from './subject.ts'

interface HandledRequest {
  readonly line: string
  readonly body?: unknown
}

const REQUESTS: Readonly<Record<string, HandledRequest>> = {
  listPets: { line: 'GET /v1/pets?limit=20' },
  getPet: { line: 'GET /v1/pets/7' },
  createPet: { line: 'POST /v1/pets', body: { name: 'Rex', categoryId: 1 } },
  '404': { line: 'GET /v1/nothing' },
}

/** Runs in each process, on the sources below its first argument: the product's own and those of its test support. */
const WORKER = `
import { pathToFileURL } from 'node:url'
const folder = process.argv[2]
const open = path => import(pathToFileURL(folder + path).href)
const { gatewayOf, requestOf } = await open('/test/support/in-process.ts')
const { loadPlan } = await open('/src/load/load.ts')
const { realClock } = await open('/src/world/clock.ts')
const gateway = gatewayOf(loadPlan('config/gateway.yaml', folder, {}), realClock)
const headers = { authorization: 'Bearer demo-key', host: 'localhost' }
const written = { ...headers, 'content-type': 'application/json', 'content-length': '29' }
process.on('message', async ({ line, body, count }) => {
  const start = process.cpuUsage()
  for (let i = 0; i < count; i++) {
    const request = requestOf(line, { headers: body === undefined ? headers : written, body })
    if (body === undefined) request.hasBody = false
    await gateway.handle(request)
  }
  const { user, system } = process.cpuUsage(start)
  process.send((user + system) / count)
})
process.send('ready')
`

/**
 * Returns for each request its cost here in per cent of that at the commit, the median of the pairs.
 *
 * @param commit the bench takes HEAD, which measures an uncommitted change
 * @param count requests of each process in a round
 */
export async function measureHandle(commit: string, rounds: number, count: number): Promise<Figure[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'understudy-bench-'))
  const sides: ChildProcess[] = []
  try {
    const archive = execFileSync('git', ['archive', commit], { cwd: HOME, maxBuffer: 1e9 })
    execFileSync('tar', ['x', '-C', scratch], { input: archive })
    symlinkSync(join(HOME, 'node_modules'), join(scratch, 'node_modules'))
    const worker = join(scratch, 'worker.mts')
    writeFileSync(worker, WORKER)
    for (const folder of [scratch, HOME]) sides.push(await startSide(worker, folder))
    const figures: Figure[] = []
    for (const [name, request] of Object.entries(REQUESTS)) {
      const ratios = await measurePairs(sides, { ...request, count }, rounds)
      const value = 100 * spreadOf(ratios).median
      figures.push({ name: `${name} inside the gateway, of ${commit}`, value, unit: '%', target: 105 })
    }
    return figures
  } finally {
    for (const side of sides) side.kill('SIGKILL')
    rmSync(scratch, { recursive: true })
  }
}

async function startSide(worker: string, folder: string): Promise<ChildProcess> {
  const side = fork(worker, [folder], {
    cwd: folder,
    execArgv: ['--import', join(HOME, 'node_modules/tsx/dist/loader.mjs')],
  })
  await once(side, 'message')
  return side
}

/** Lets both sides run the request in turn; the first round warms them up and does not count. */
async function measurePairs(sides: readonly ChildProcess[], work: object, rounds: number): Promise<number[]> {
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const costs: [number, number] = [Number.NaN, Number.NaN]
    for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const side = sides[at] as ChildProcess
      const answer = once(side, 'message')
      side.send(work)
      costs[at] = Number((await answer)[0])
    }
    if (round > 0) ratios.push(costs[1] / costs[0])
  }
  return ratios
}
