// Every row of the target table: the three subjects, one after another, round after round.

import { mkdirSync, writeFileSync } from 'node:fs'
import { drive, type Sample, type Shot, warm } from './drive.ts'
import { generateGateway, generateLasting, generateRules } from './generate.ts'
import { lastingRows, type Row, rows, ruledRows, variedRow } from './rows.ts'
import { command, HOME, inTurn, RESULTS, type Subject, startBare, startUnderstudy } from './subject.ts'
import type { Recorded } from './subjects/replies.ts'

export interface Measured {
  readonly row: Row
  /** The samples of each subject, one for each round. */
  readonly samples: Readonly<Record<string, readonly Sample[]>>
}

export interface Effort {
  readonly rounds: number
  /** The seconds of one sample. */
  readonly seconds: number
}

export async function measureRows(effort: Effort, wanted: (name: string) => boolean): Promise<Measured[]> {
  const thousand = generateGateway('thousand', { records: 1000 })
  return [
    ...(await measureOn(
      `${HOME}config/gateway.yaml`,
      rows.filter(({ name }) => wanted(name)),
      effort,
    )),
    ...(await measureOn(
      thousand,
      [variedRow].filter(({ name }) => wanted(name)),
      effort,
    )),
    ...(await measureOn(
      generateRules(),
      ruledRows.filter(({ name }) => wanted(name)),
      effort,
    )),
    ...(await measureOn(
      generateLasting(),
      lastingRows.filter(({ name }) => wanted(name)),
      effort,
    )),
  ]
}

async function measureOn(config: string, list: readonly Row[], { rounds, seconds }: Effort): Promise<Measured[]> {
  if (list.length === 0) return []
  const understudy = await startUnderstudy(config)
  const file = `${RESULTS}/replies.json`
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(
    file,
    JSON.stringify(
      await record(
        understudy,
        list.flatMap(({ shots }) => shots),
      ),
    ),
  )
  const subjects = [await startBare('bare-http', file), await startBare('bare-koa', file), understudy]
  await warm(
    subjects,
    list.flatMap(({ shots }) => shots),
  )
  await command(understudy, 'reset')
  const measured: Measured[] = []
  for (const row of list) {
    const samples: Record<string, Sample[]> = {}
    for (let round = 0; round < rounds; round++) {
      for (const subject of inTurn(subjects, round)) {
        const sample = await drive(subject, { shots: row.shots, seconds })
        check(row, subject, sample)
        samples[subject.name] = [...(samples[subject.name] ?? []), sample]
      }
    }
    measured.push({ row, samples })
  }
  for (const subject of subjects) await subject.stop()
  return measured
}

/** Throws if replies are missing or wrong: such a run measures nothing. */
function check({ name, status, shots }: Row, subject: Subject, { requests, statuses, errors }: Sample): void {
  const right = (statuses[status] ?? 0) + (shots.length > 1 ? (statuses[201] ?? 0) : 0)
  if (errors === 0 && right === requests && requests > 0) return
  throw new Error(`${name}: ${subject.name} answered ${JSON.stringify(statuses)}, ${errors} errors`)
}

/** Headers that every node:http server writes by itself. */
const ITS_OWN = ['date', 'connection', 'keep-alive']

async function record(subject: Subject, shots: readonly Shot[]): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  for (const { method, path, headers, body } of shots) {
    if (recorded.some(one => one.method === method && one.url === path)) continue
    const response = await fetch(`http://127.0.0.1:${subject.port}${path}`, { method, headers, body })
    const fields = [...response.headers].filter(([name]) => !ITS_OWN.includes(name))
    recorded.push({
      ...{ method, url: path, status: response.status, headers: Object.fromEntries(fields) },
      body: await response.text(),
    })
  }
  return recorded
}
