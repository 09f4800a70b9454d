// Loads a configuration while requests are being served. A large one is tried in a thread first, because reading it and
// describing its mistakes can take seconds, which would block the event loop. The thread sends back the values of
// the large texts too.

import { statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Diagnostic, Diagnostics, type Place } from '../kernel/diagnostic.ts'
import { parseJsonInSteps } from '../kernel/json-in-steps.ts'
import { type Environment, placeOfFile } from '../kernel/source.ts'
import type { Steps } from '../kernel/steps.ts'
import { NO_LARGE_TEXT, type SentText, SentTexts, type TextsAside, TooLargeHere } from '../kernel/texts-aside.ts'
import { realClock, runInTurns } from '../world/clock.ts'
import { heapLimit } from '../world/heap.ts'
import type { Loaded, LoadOptions } from './load.ts'

/** A gateway file of fewer characters is read, and its mistakes described, in some tens of milliseconds. */
const LARGE = 20_000

/** The longest time of a trial, in milliseconds. Afterwards it ends, and the configuration is refused. */
const PATIENCE = 60_000

/** A text becomes many small objects at once, which collections of garbage would move about in a smaller space, in MB. */
const YOUNG = 64

/** The arguments of `loadPlan`, as a thread takes them. */
export interface TrialArguments {
  readonly path: string
  readonly home: string
  readonly environment: Environment
  readonly options: Omit<LoadOptions, 'progress' | 'aside'>
}

/** The outcome of a trial: whether it can be served, else the first mistakes, and how many there are. */
export interface TrialOutcome {
  readonly failed: boolean
  readonly diagnostics: readonly (Omit<Diagnostic, 'place'> & { readonly place: Omit<Place, 'text'> })[]
  /** The line of each diagnostic, and where it is in `lines`: many may be on one line of megabytes. */
  readonly lineOf: readonly number[]
  readonly lines: readonly string[]
  readonly errors: number
  /** The number of diagnostics; `diagnostics` has the first. */
  readonly size: number
  readonly files: readonly string[]
  /** The values of the large texts that were read. */
  readonly texts: readonly SentText[]
}

/**
 * Loads a gateway file, or a text instead of it.
 *
 * A large one that is wrong never reaches `load`: its report comes from a thread. One that is right is then loaded by
 * `load`, with the values of its large texts from the thread: a plan is made of closures, which cannot be sent.
 *
 * @param load loads with the values of large texts; it may reject with what these reject with
 */
export async function loadAside(
  trial: TrialArguments,
  load: (aside: TextsAside | undefined) => Loaded | Promise<Loaded>,
): Promise<Loaded> {
  if (sizeOf(trial) < LARGE) {
    try {
      return await load(NO_LARGE_TEXT)
    } catch (error) {
      if (!(error instanceof TooLargeHere)) throw error
    }
  }
  const outcome = await inThread(trial)
  if (outcome === undefined) return load(undefined)
  const report = reportOf(outcome)
  if (outcome.failed) return { plan: undefined, report, files: outcome.files }
  const loaded = await load(await runInTurns(parseSent(outcome.texts)))
  // The places of the same warnings would be looked for in the whole of a large text.
  return loaded.plan !== undefined && loaded.report.size === outcome.size ? { ...loaded, report } : loaded
}

function reportOf({ diagnostics, lines, lineOf, errors }: TrialOutcome): Diagnostics {
  const report = new Diagnostics()
  for (const [i, { place, ...diagnostic }] of diagnostics.entries()) {
    report.add({ ...diagnostic, place: { ...place, text: lines[lineOf[i] as number] as string } })
  }
  report.omit(errors - report.count('error'))
  return report
}

function* parseSent(texts: readonly SentText[]): Steps<SentTexts> {
  const sent = new SentTexts()
  for (const text of texts) {
    const parsed = yield* parseJsonInSteps(text.json, text.decimals)
    if ('value' in parsed) sent.add(text, parsed.value)
  }
  return sent
}

function sizeOf({ path, home, options: { text } }: TrialArguments): number {
  return text?.length ?? statSync(resolve(home, path), { throwIfNoEntry: false })?.size ?? 0
}

/** `undefined` where there can be no thread, or where it ends by a fault that is not the author's. */
function inThread(trial: TrialArguments): Promise<TrialOutcome | undefined> {
  return new Promise(done => {
    // The build puts both files side by side.
    const entry = `./try-load.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`
    const megabytes = Math.ceil(heapLimit() / 2 ** 20)
    let thread: Worker
    try {
      thread = new Worker(new URL(entry, import.meta.url), {
        workerData: trial,
        resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: YOUNG },
      })
    } catch {
      return done(undefined)
    }
    // A trial does not keep a process that is stopping.
    thread.unref()
    const over = new AbortController()
    const end = (outcome: TrialOutcome | undefined) => {
      over.abort()
      done(outcome)
    }
    void realClock.sleep(PATIENCE, over.signal).then(() => {
      if (over.signal.aborted) return
      end(refused(trial, `reading the configuration takes longer than ${PATIENCE / 1000} s`))
      void thread.terminate()
    })
    thread.once('message', (outcome: TrialOutcome) => end(outcome))
    thread.once('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? refused(trial, NO_MEMORY) : undefined),
    )
    thread.once('exit', () => end(undefined))
  })
}

const NO_MEMORY =
  'reading the configuration needs more memory than is available; give Node more: NODE_OPTIONS=--max-old-space-size=4096'

/** The outcome of a trial that was broken off. */
function refused({ path, home }: TrialArguments, message: string): TrialOutcome {
  const file = resolve(home, path)
  const { text: line, ...place } = placeOfFile(relative(home, file))
  const diagnostics = [{ severity: 'error', code: 'file-too-large', message, place }] as const
  return { failed: true, diagnostics, lineOf: [0], lines: [line], errors: 1, size: 1, files: [file], texts: [] }
}
