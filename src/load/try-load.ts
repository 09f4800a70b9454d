// The thread that tries a large configuration: loads it, and sends back its mistakes. See `load-aside.ts`.

import { parentPort, workerData } from 'node:worker_threads'
import { shownOf } from '../kernel/report.ts'
import { loadPlan } from './load.ts'
import type { RefusedTrial, TrialArguments } from './load-aside.ts'

function refusalOf({ path, home, environment, options }: TrialArguments): RefusedTrial | undefined {
  const { plan, report, files } = loadPlan(path, home, environment, options)
  if (plan !== undefined) return undefined
  const shown = shownOf(report.list)
  const lines = new Map(shown.map(({ place: { text } }) => [text, { text }]))
  // A place computes its line on demand, so it cannot be sent unchanged.
  const diagnostics = shown.map(({ place: { file, line, column, length, text }, ...diagnostic }) => ({
    ...diagnostic,
    place: { file, line, column, length },
    line: lines.get(text) as { readonly text: string },
  }))
  return { diagnostics, errors: report.count('error'), files }
}

parentPort?.postMessage(refusalOf(workerData))
