// Runs every test below this folder, or those whose path contains one of the arguments. Node 20 takes no globs. Loading the
// sources takes longer than most files do, so that files share a process: one for each group below. Files that measure
// patience, and the browser, have a process of their own.

import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** Files whose clients have a second or less, which a neighbour would make late; and one that changes what others load. */
const ALONE = /^(?:attack\/|browser\/|contributing\/|wire\/(?:early-refusal|shutdown|slow-clients|workers)\.test)/
/** Wire tests that start programs and wait for them: they run at the same time. */
const WAITING = /^wire\/(?:cli|first-minutes|secrets|shown-code)\.test/

const wanted = process.argv.slice(2)
const all = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts') && (wanted.length === 0 || wanted.some(part => file.includes(part))))
  .sort()
if (all.length === 0) process.exitCode = 1
if (all.some(file => /^(?:attack|browser|wire)\//.test(file))) await import('./support/built-program.ts')

const groupOf = (file: string): string => {
  if (ALONE.test(file)) return 'alone'
  if (WAITING.test(file)) return 'waiting'
  return /^(?:wire|property)\//.exec(file)?.[0].slice(0, -1) ?? 'unit'
}
const shared = ['waiting', 'unit', 'wire', 'property'].flatMap(group => {
  const members = all.filter(file => groupOf(file) === group)
  process.env[group.toUpperCase()] = members.join()
  return members.length > 0 ? [`together/${group}.ts`] : []
})
const files = [...all.filter(file => groupOf(file) === 'alone'), ...shared]

const stream = run({
  files: files.map(file => `${import.meta.dirname}/${file}`),
  // Files that wait leave their core to others.
  concurrency: availableParallelism() + 1,
})
stream.on('test:fail', () => {
  process.exitCode = 1
})
stream.compose(new spec()).pipe(process.stdout)
