// Records traffic into a folder, as the command does, and serves the result.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { loadContract } from '../../../src/load/load.ts'
import { addToRecording, exchangesOf, RECORDING } from '../../../src/wings/project/recording.ts'
import { projectOfExchanges } from '../../../src/wings/record/record.ts'
import { WINGS } from '../../../src/wings.ts'
import { gatewayOf, sendTo } from '../../support/in-process.ts'
import { loadPlan } from '../../support/load.ts'
import { FixedClock } from '../../virtual-clock.ts'
import type { Api, Sent } from './recorded-api.ts'

/** The folder of all projects. */
export const home = mkdtempSync(join(tmpdir(), 'understudy-record-'))
// Several files of tests may share a process.
process.once('exit', () => rmSync(home, { recursive: true }))
let folders = 0

interface RecordOptions {
  readonly contract?: string
  readonly mask?: readonly string[]
  readonly folder?: string
}

/** Records a HAR into a folder, as the command does. */
export async function recordInto(har: string, { contract, mask = [], folder = `r${++folders}` }: RecordOptions = {}) {
  const source = join(home, `${folder}-source.har`)
  writeFileSync(source, har)
  const report = new Diagnostics()
  const place = { folder: join(home, folder), contract, home }
  const options = {
    source: 'real.har',
    personal: mask,
    contract: contract === undefined ? undefined : loadContract(contract, home).contract,
    version: '1.0.0',
  }
  const path = join(place.folder, RECORDING)
  const { added } = await addToRecording(path, exchangesOf(source, 'real.har', report), options, report)
  const made = await projectOfExchanges(exchangesOf(path), { ...place, wings: WINGS }, report)
  const said = report.list.map(({ severity, code, message }) => `${severity} ${code}: ${message}`)
  assert.ok(made, said.join('\n'))
  const read = (name: string) => readFileSync(join(place.folder, name), 'utf8')
  const different = [...made.proof.different].map(([what, count]) => `${what} (${count})`)
  return { ...made, different, added, said, read, place, report }
}

/** Serves a recorded project. */
export function serve({ place }: { readonly place: { readonly folder: string } }) {
  const loaded = loadPlan(join(place.folder, 'gateway.yaml'), home, {})
  const send = sendTo(gatewayOf(loaded, new FixedClock()))
  return async (line: string, body?: unknown, headers: Record<string, string> = {}) => {
    const reply = await send(line, body, headers)
    return [reply.status, reply.body] as const
  }
}

/** `3 of 4`: the equal replies of those that were tried. */
export const proofOf = ({ proof: { equal, tried } }: Awaited<ReturnType<typeof recordInto>>) => `${equal} of ${tried}`

/** An API that answers in turn with what is prepared. */
export const scripted = (...answers: readonly (readonly [status: number, body?: unknown])[]): Api => {
  const left = [...answers]
  return () => {
    const [status, body] = left.shift() as (typeof answers)[0]
    return { status, ...(body === undefined ? {} : { body }) }
  }
}

export const get = (path: string): Sent => ({ method: 'GET', path })
