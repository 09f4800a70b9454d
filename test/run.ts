// Runs every test below this folder, or those whose path contains one of the arguments. Node 20 takes no globs.

import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const wanted = process.argv.slice(2)
const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts') && (wanted.length === 0 || wanted.some(part => file.includes(part))))
  .map(file => `${import.meta.dirname}/${file}`)
  .sort()

const stream = run({ files, concurrency: availableParallelism() })
stream.on('test:fail', () => {
  process.exitCode = 1
})
stream.compose(new spec()).pipe(process.stdout)
