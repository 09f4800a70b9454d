// `npm test` runs every test below this folder except the long ones; `npm run test:all` runs all of them, with more generated
// cases. Arguments choose the files whose path contains one of them, including long ones, since Node 20 has no globs. Loading the
// sources takes longer than most files, so that the files of a group share a process.

import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { bundle } from './support/bundle.ts'

/** Files that start many programs or a browser, send many megabytes, or wait for a limit of time. */
const LONG = [
  /^(?:attack|browser|contributing|load\/largest-text|property\/queueing)/,
  /^wire\/(?:cli-options|deploy-shared|early-refusal|first-minutes|health-check|killed-journal|large-files|lost-state-file|reload|secrets)\.test/,
  /^wire\/(?:redis|redis-failures|redis-foreign|redis-history|redis-large|redis-log|redis-tls|shown-code|shown-commands)\.test/,
  /^wire\/(?:shutdown|slow-clients|state-file|tls-files|two-workers|workers)\.test/,
]
/** Files with a separate process: their clients have a second or less, or they change modules that others load. */
const ALONE =
  /^(?:attack\/|browser\/|contributing\/|wire\/(?:early-refusal|lost-state-file|redis-foreign|shutdown|slow-clients|two-workers|workers)\.test)/
/** The groups that would take longer than all others: two processes run about half of each. */
const HALVED = ['unit', 'wire']
/** Seconds of the files of these groups that take more than a few, for halves of the same length. */
const SECONDS: Readonly<Record<string, number>> = {
  'gateway/state/own-log': 5,
  'load/largest-text': 6,
  'property/json': 7,
  'property/queueing': 10,
  'property/replay': 5,
  'property/replicas': 8,
  'property/sample': 6,
  'wire/config': 6,
  'wire/killed-journal': 15,
  'wire/large-files': 7,
  'wire/redis': 4,
  'wire/redis-failures': 18,
  'wire/redis-history': 10,
  'wire/redis-large': 25,
  'wire/redis-log': 8,
  'wire/reload': 5,
  'wire/shown-commands': 9,
  'wire/state-file': 30,
  'wire/tls-files': 6,
}
const secondsOf = (file: string): number => SECONDS[file.replace('.test.ts', '')] ?? 0.5
/** Wire tests that start programs and wait for them. They run concurrently. */
const WAITING = /^wire\/(?:cli|cli-options|first-minutes|secrets|shown-code)\.test/

const words = process.argv.slice(2).filter(word => word !== '--all')
const everything = process.argv.includes('--all')
// Read by `test/support/cases.ts` in each process.
if (everything) process.env.TEST_ALL = '1'

const isWanted = (file: string): boolean => {
  if (words.length > 0) return words.some(word => file.includes(word))
  return everything || !LONG.some(long => long.test(file))
}
const all = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts') && isWanted(file))
  .sort()
if (all.length === 0) {
  console.error(`no test file has ${words.map(word => `"${word}"`).join(' or ')} in its path`)
  process.exit(1)
}
if (all.some(file => /^(?:attack|browser|wire)\//.test(file))) await import('./support/built-program.ts')

/** The files of a group run one after another in one process, or four at a time where they wait for programs. */
const groupOf = (file: string): string => {
  if (file.startsWith('browser/console')) return 'console'
  if (ALONE.test(file)) return file.replace(/[^a-z-]+/g, '-')
  if (WAITING.test(file)) return 'waiting'
  return file.startsWith('wire/') ? 'wire' : 'unit'
}
/** Gives each file, from the longest on, to the half that is shorter. */
function halvesOf(files: readonly string[]): string[][] {
  const halves = [0, 1].map(() => ({ seconds: 0, files: [] as string[] })) as [Half, Half]
  for (const file of [...files].sort((a, b) => secondsOf(b) - secondsOf(a))) {
    const half = halves[0].seconds <= halves[1].seconds ? halves[0] : halves[1]
    half.files.push(file)
    half.seconds += secondsOf(file)
  }
  return halves.map(half => half.files)
}
interface Half {
  readonly files: string[]
  seconds: number
}
const names = [...new Set(all.map(groupOf))]
const groups = names.flatMap(name => {
  const files = all.filter(file => groupOf(file) === name)
  const concurrency = name === 'waiting' ? 4 : 1
  if (!HALVED.includes(name)) return [{ name, files, concurrency }]
  return halvesOf(files).flatMap((part, half) =>
    part.length > 0 ? [{ name: `${name}-${half + 1}`, files: part, concurrency }] : [],
  )
})
// The longest ones first, so that none is left for the end.
groups.sort((a, b) => b.files.length - a.files.length)

// A process of a group needs no loader, fewer collections of garbage, and less optimised code: most of it runs for a moment.
// Later versions than 20 have no such flag, and optimise in smaller steps.
const later = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : []
process.execArgv.splice(0, Number.POSITIVE_INFINITY, '--enable-source-maps', '--max-semi-space-size=64', ...later)
const stream = run({
  files: await bundle(groups),
  // Waiting files leave their core to others.
  concurrency: availableParallelism() + 2,
  // The time-out of a process in milliseconds, far above the time of any on a busy machine.
  timeout: 1_800_000,
})
stream.on('test:fail', () => {
  process.exitCode = 1
})
stream.compose(new spec()).pipe(process.stdout)
