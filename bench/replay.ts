// Measures how long a start takes to read a state file: a million changes, each of a record of its own.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Figure } from './figures.ts'
import { petStoreWith } from './generate.ts'
import { startUnprobed } from './subject.ts'

const CHANGES = 1_000_000

/** Returns the milliseconds that the changes add to a start. @param starts how often each start is measured */
export async function measureReplay(starts: number): Promise<Figure> {
  const config = petStoreWith('replay', 'state: { file: ./understudy.state, sync: 1s }')
  const text = readFileSync(config, 'utf8').replace(/maxRecords: \d+/, `maxRecords: ${2 * CHANGES}`)
  writeFileSync(config, text)
  const state = `${dirname(config)}/understudy.state`
  const begun = await startUnprobed(config, '--log-level', 'warn')
  await begun.stop()
  const empty = readFileSync(state, 'utf8')
  const full = Buffer.from(empty + changesAfter(empty))
  const times = { empty: Number.POSITIVE_INFINITY, full: Number.POSITIVE_INFINITY }
  for (let i = 0; i < starts; i++) {
    for (const kind of ['empty', 'full'] as const) {
      writeFileSync(state, kind === 'empty' ? empty : full)
      const { ready, stop } = await startUnprobed(config, '--log-level', 'warn')
      times[kind] = Math.min(times[kind], ready)
      await stop()
    }
  }
  rmSync(state)
  const value = times.full - times.empty
  return { name: 'a million changes of records read at a start', value, unit: 'ms', target: 5000 }
}

/** Returns lines that create pets, behind those of a state file: see `src/wings/state-file/log-file.ts`. */
function changesAfter(file: string): string {
  const last = file.trimEnd().split('\n').at(-1) as string
  let sum = Number.parseInt(last.slice(0, 8), 16)
  const lines: string[] = []
  for (let i = 1; i <= CHANGES; i++) {
    const id = 50 + i
    const pet = JSON.stringify(JSON.stringify({ id, name: 'Rex', categoryId: 1, status: 'pending' }))
    const change = `[["default",["in","pets",["row",${id},${pet},${i},${50 + i}]]]]`
    const line = `e [1795000000000,"POST /v1/pets",${change}]`
    sum = crc32(line, sum)
    lines.push(`${sum.toString(16).padStart(8, '0')} ${line}\n`)
  }
  return lines.join('')
}
