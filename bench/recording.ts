// The memory of a recorder: many exchanges, and one large body.

import { rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { drive } from './drive.ts'
import type { Figure } from './figures.ts'
import { RESULTS, startRecorder } from './subject.ts'

const PIECE = Buffer.alloc(2 ** 20, 'x')
/** The megabytes of the large body. */
const LARGE = 1024
/** Milliseconds between two looks at the memory. */
const PAUSE = 100

const PET = JSON.stringify({ id: 7, name: 'Rex', note: 'x'.repeat(200) })

/** Writes a body as fast as it is read. */
function writeLarge(res: ServerResponse, left = LARGE): void {
  for (let i = left; i > 0; i--) {
    if (res.write(PIECE)) continue
    res.once('drain', () => writeLarge(res, i - 1))
    return
  }
  res.end()
}

/** @param amount the exchanges before the large body */
export async function measureRecording(amount: number): Promise<Figure[]> {
  const real = createServer(({ url }, res) => {
    res.setHeader('content-type', url === '/large' ? 'application/octet-stream' : 'application/json')
    if (url === '/large') writeLarge(res)
    else res.end(PET)
  })
  await new Promise<void>(resolve => real.listen(0, '127.0.0.1', resolve))
  const folder = `${RESULTS}/recorded`
  rmSync(folder, { recursive: true, force: true })
  const recorder = await startRecorder(`http://127.0.0.1:${(real.address() as AddressInfo).port}`, folder)
  let peak = 0
  const look = () => {
    peak = Math.max(peak, recorder.resident())
  }
  const timer = setInterval(look, PAUSE)
  await drive(recorder, { shots: [{ method: 'GET', path: '/pets/7' }], amount })
  const reply = await fetch(`http://127.0.0.1:${recorder.port}/large`)
  for await (const _ of reply.body ?? []);
  look()
  clearInterval(timer)
  // The recorder is killed: making the project is not measured.
  await recorder.stop('SIGKILL')
  real.close()
  const what = `${amount.toLocaleString('en')} exchanges and a body of 1 GB`
  return [{ name: `recorder, peak memory with ${what}`, value: peak / 1e6, unit: 'MB', target: 150 }]
}
