// The thread that tries a large configuration: loads it, and sends back its mistakes. See `load-aside.ts`.

import { parentPort, workerData } from 'node:worker_threads'
import { shownOf } from '../kernel/diagnostic.ts'
import { TextsToSend } from '../kernel/texts-aside.ts'
import { loadPlan } from './load.ts'
import type { TrialArguments, TrialOutcome } from './load-aside.ts'

const { path, home, environment, options } = workerData as TrialArguments
const aside = new TextsToSend()
const { plan, report, files } = loadPlan(path, home, environment, { ...options, aside })
const failed = plan === undefined
const shown = shownOf(report.list)
const lines = [...new Set(shown.map(({ place }) => place.text))]
const indexes = new Map(lines.map((line, index) => [line, index]))
const outcome: TrialOutcome = {
  failed,
  // A place computes its line on demand, so it cannot be sent unchanged.
  diagnostics: shown.map(({ severity, code, message, hint, place: { file, line, column, length } }) => ({
    ...{ severity, code, message, place: { file, line, column, length } },
    ...(hint === undefined ? {} : { hint }),
  })),
  lineOf: shown.map(({ place }) => indexes.get(place.text) as number),
  lines,
  errors: report.count('error'),
  size: report.size,
  files,
  texts: failed ? [] : aside.list,
}
parentPort?.postMessage(outcome)
