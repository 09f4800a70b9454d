// `npm test` runs every test below this folder except the long ones; `npm run test:all` runs all of them, with more generated
// cases. Arguments choose the files whose path contains one of them, including long ones, since Node 20 has no globs. Loading the
// sources takes longer than most files, so that the files of a group share a process.

import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { bundle } from './support/bundle.ts'

/** The name of a file as the lists below have it: the tests of a wing are placed as those of the house are. */
const placed = (file: string): string => file.replace(/^wings\/[^/]+\/(?=(?:browser|property|wire)\/)/, '')
/** Files that start many programs or a browser, send many megabytes, or wait for a limit of time. */
const LONG = [
  /^(?:attack|browser|contributing|load\/largest-text|property\/queueing)/,
  /^wire\/(?:cli-options|deploy-shared|early-refusal|first-minutes|health-check|killed-journal|large-files|lost-state-file|reload|secrets)\.test/,
  /^wire\/(?:redis|redis-failures|redis-foreign|redis-history|redis-large|redis-log|redis-tls|shown-code|shown-commands)\.test/,
  /^wire\/(?:shutdown|slow-clients|state-file|tls-files|two-workers|workers)\.test/,
]
/** Files with a separate process: their clients have a second or less, or they change modules that others load. */
const ALONE =
  /^(?:attack\/|browser\/|contributing\/|wire\/(?:early-refusal|lost-state-file|redis-failures|redis-foreign|redis-large|shutdown|slow-clients|two-workers|workers)\.test)/
/** Files whose subject is real time: a server that is given up after seconds of silence. They run when all others have ended. */
const QUIET = /^wire\/(?:redis-large|redis-failures|slow-clients)\.test/
/** The groups that would take longer than all others, and how many processes run a part of each. */
const PARTS: Readonly<Record<string, number>> = { unit: 3, wire: 3, console: 2 }
/** Seconds of the files that take more than a few: parts have the same length, and the longest groups start first. */
const SECONDS: Readonly<Record<string, number>> = {
  'attack/control-plane': 15,
  'attack/large-schemas': 33,
  'attack/log': 20,
  'attack/memory': 48,
  'attack/readers': 26,
  'attack/sizes': 68,
  'attack/steps': 19,
  'browser/console-configuration': 10,
  'browser/console-drift': 7,
  'browser/console-live': 20,
  'browser/console-operations': 23,
  'browser/console-shell': 78,
  'browser/console-time': 19,
  'browser/console-weather': 18,
  'browser/console-worlds': 28,
  'kernel/published-yaml': 20,
  'kernel/source': 10,
  'property/json': 7,
  'property/mutated-imports': 18,
  'property/queueing': 10,
  'property/replay': 5,
  'property/replicas': 8,
  'property/sample': 6,
  'property/staging': 7,
  'wire/config': 8,
  'wire/coverage': 7,
  'wire/early-refusal': 36,
  'wire/forward': 15,
  'wire/forward-judged': 5,
  'wire/health-check': 7,
  'wire/killed-journal': 19,
  'wire/large-files': 8,
  'wire/lies': 22,
  'wire/next': 36,
  'wire/redis': 4,
  'wire/redis-failures': 18,
  'wire/redis-foreign': 45,
  'wire/redis-history': 12,
  'wire/redis-large': 55,
  'wire/redis-log': 8,
  'wire/reload': 5,
  'wire/request-path': 7,
  'wire/shown-commands': 9,
  'wire/shutdown': 17,
  'wire/state-file': 40,
  'wire/tls-files': 6,
  'wire/two-workers': 40,
  'wire/weather': 7,
  'wings/overlay/overlay': 10,
  'wings/webhooks/any-failures': 12,
  'wings/webhooks/retries': 8,
  'wings/import/import': 20,
  'wings/record/record': 18,
  'wire/workers': 12,
  'wire/worlds-on-contracts': 7,
}
const secondsOf = (file: string): number => SECONDS[placed(file).replace('.test.ts', '')] ?? 0.5
/** Wire tests that start programs and wait for them. They run concurrently. */
const WAITING = /^wire\/(?:cli|cli-options|first-minutes|secrets|shown-code)\.test/

const words = process.argv.slice(2).filter(word => word !== '--all')
const everything = process.argv.includes('--all')
// Read by `test/support/cases.ts` in each process.
if (everything) process.env.TEST_ALL = '1'

const isWanted = (file: string): boolean => {
  if (words.length > 0) return words.some(word => file.includes(word))
  return everything || !LONG.some(long => long.test(placed(file)))
}
const all = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts') && isWanted(file))
  .sort()
if (all.length === 0) {
  console.error(`no test file has ${words.map(word => `"${word}"`).join(' or ')} in its path`)
  process.exit(1)
}
if (all.some(file => /^(?:attack|browser|wire)\//.test(placed(file)))) await import('./support/built-program.ts')

/** The files of a group run one after another in one process, or four at a time where they wait for programs. */
const groupOf = (path: string): string => {
  const file = placed(path)
  if (file.startsWith('browser/console')) return 'console'
  if (ALONE.test(file)) return file.replace(/[^a-z-]+/g, '-')
  if (WAITING.test(file)) return 'waiting'
  return file.startsWith('wire/') ? 'wire' : 'unit'
}
/** Gives each file, from the longest on, to the part that is the shortest. */
function partsOf(files: readonly string[], count: number): string[][] {
  const parts = Array.from({ length: count }, () => ({ seconds: 0, files: [] as string[] }))
  for (const file of [...files].sort((a, b) => secondsOf(b) - secondsOf(a))) {
    const shortest = parts.reduce((least, part) => (part.seconds < least.seconds ? part : least))
    shortest.files.push(file)
    shortest.seconds += secondsOf(file)
  }
  return parts.map(part => part.files)
}
const names = [...new Set(all.map(groupOf))]
const groups = names.flatMap(name => {
  const files = all.filter(file => groupOf(file) === name)
  const concurrency = name === 'waiting' ? 4 : 1
  const parts = partsOf(files, PARTS[name] ?? 1).filter(part => part.length > 0)
  return parts.map((part, i) => ({ name: parts.length > 1 ? `${name}-${i + 1}` : name, files: part, concurrency }))
})
// The longest ones first, so that none is left for the end.
const longest = ({ files }: (typeof groups)[number]) => files.reduce((sum, file) => sum + secondsOf(file), 0)
groups.sort((a, b) => longest(b) - longest(a))

// A process of a group needs no loader, fewer collections of garbage, and less optimised code: most of it runs for a moment.
// Later versions than 20 have no such flag, and optimise in smaller steps.
const later = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : []
process.execArgv.splice(0, Number.POSITIVE_INFINITY, '--enable-source-maps', '--max-semi-space-size=64', ...later)
/** Runs groups, a number of them at a time, and prints their results. */
async function runGroups(some: typeof groups, concurrency: number): Promise<void> {
  if (some.length === 0) return
  const stream = run({
    files: await bundle(some),
    concurrency,
    // The time-out of a process in milliseconds, far above the time of any on a busy machine.
    timeout: 1_800_000,
  })
  stream.on('test:fail', () => {
    process.exitCode = 1
  })
  await pipeline(stream.compose(new spec()), process.stdout, { end: false })
}

const isQuiet = ({ files }: (typeof groups)[number]): boolean => files.some(file => QUIET.test(placed(file)))
// Most files wait for programs, browsers and limits of time, and leave their core to others.
await runGroups(
  groups.filter(group => !isQuiet(group)),
  availableParallelism() + 6,
)
// They wait most of the time, so that two do not disturb each other.
await runGroups(groups.filter(isQuiet), 2)
