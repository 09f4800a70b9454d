// Loads a configuration while requests are being served. A large one is tried in a thread first: reading it and describing
// its mistakes can take seconds, and one that is wrong must not hold up requests. One that is right is then loaded here,
// because a plan is made of closures, which cannot be sent.

import { readFileSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Diagnostic, Diagnostics, type Place } from '../kernel/diagnostic.ts'
import { type Environment, placeOfFile } from '../kernel/file/source.ts'
import { attempted } from '../kernel/memo.ts'
import { heapLimit } from '../world/budget.ts'
import { every } from '../world/clock.ts'
import type { Loaded, LoadOptions } from './load.ts'

/** Bytes of a configuration that is loaded in some tens of milliseconds, even if it is wrong. */
const SMALL = 30_000

/** The longest time of a trial, in milliseconds. Afterwards it ends, and the configuration is refused. */
const PATIENCE = 60_000

/** The arguments of `loadPlan`, as a thread takes them. */
export interface TrialArguments {
  readonly path: string
  readonly home: string
  readonly environment: Environment
  readonly options: Omit<LoadOptions, 'progress'>
}

/** The report of a configuration that cannot be served. */
export interface RefusedTrial {
  /** The first mistakes. Those on one line share its text, which may have megabytes. */
  readonly diagnostics: readonly (Omit<Diagnostic, 'place'> & {
    readonly place: Omit<Place, 'text'>
    readonly line: { readonly text: string }
  })[]
  /** The number of errors, those without a description too. */
  readonly errors: number
  readonly files: readonly string[]
}

/** Loads a gateway file, or a text instead of it. A large one that is wrong never reaches `load`. */
export async function loadAside(trial: TrialArguments, load: () => Loaded | Promise<Loaded>): Promise<Loaded> {
  const refused = isSmall(trial) ? undefined : await inThread(trial)
  if (refused === undefined) return load()
  const report = new Diagnostics()
  for (const { line, place, ...diagnostic } of refused.diagnostics) {
    report.add({ ...diagnostic, place: { ...place, text: line.text } })
  }
  report.omit(refused.errors - report.count('error'))
  return { plan: undefined, report, files: refused.files }
}

/** Whether the file or the text is small, together with the files that it names, those that they name, and so on. */
function isSmall({ path, home, options: { text, overlays = [] } }: TrialArguments): boolean {
  const first = resolve(home, path)
  const files = new Set([first, ...overlays.map(one => resolve(home, one))])
  let size = 0
  // The loop reaches the files that it adds.
  for (const file of files) {
    const given = file === first ? text : undefined
    const bytes = given?.length ?? fileSize(file)
    size += bytes
    if (size > SMALL) return false
    const words = bytes === 0 ? '' : (given ?? readFileSync(file, 'utf8'))
    for (const [, quoted, other, plain] of words.matchAll(/"([^"\n]+)"|'([^'\n]+)'|([^\s"'{}[\],]+)/g)) {
      files.add(resolve(dirname(file), (quoted ?? other ?? plain ?? '').split('#')[0] as string))
    }
  }
  return true
}

/** The bytes of a file; 0 if there is none. */
function fileSize(path: string): number {
  const stat = attempted(() => statSync(path))
  return stat?.isFile() ? stat.size : 0
}

/** Returns `undefined` if the configuration is right, if there can be no thread, or if it ends by an internal fault. */
function inThread(trial: TrialArguments): Promise<RefusedTrial | undefined> {
  return new Promise(done => {
    // The build puts both files side by side.
    const entry = `./try-load.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`
    let thread: Worker
    try {
      const resourceLimits = { maxOldGenerationSizeMb: Math.ceil(heapLimit() / 2 ** 20) }
      thread = new Worker(new URL(entry, import.meta.url), { workerData: trial, resourceLimits })
    } catch {
      return done(undefined)
    }
    // A trial does not keep a process that is stopping.
    thread.unref()
    const stop = every(PATIENCE, () => {
      done(brokenOff(trial, `reading the configuration takes longer than ${PATIENCE / 1000} s`))
      void thread.terminate()
    })
    thread.once('message', done)
    thread.once('error', (error: NodeJS.ErrnoException) =>
      done(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? brokenOff(trial, NO_MEMORY) : undefined),
    )
    thread.once('exit', () => {
      stop()
      done(undefined)
    })
  })
}

const NO_MEMORY =
  'reading the configuration needs more memory than is available; give Node more: NODE_OPTIONS=--max-old-space-size=4096'

/** The report of a trial that was broken off. */
function brokenOff({ path, home }: TrialArguments, message: string): RefusedTrial {
  const file = resolve(home, path)
  const { text, ...place } = placeOfFile(relative(home, file))
  const diagnostic = { severity: 'error', code: 'file-too-large', message, place, line: { text } } as const
  return { diagnostics: [diagnostic], errors: 1, files: [file] }
}
