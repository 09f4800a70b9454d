// Runs every test below this folder, or those whose path contains one of the arguments. Node 20 takes no globs. Starting a
// process takes longer than most files do: all but those that hold sockets or try a great many values share one.

import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const wanted = process.argv.slice(2)
const all = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts') && (wanted.length === 0 || wanted.some(part => file.includes(part))))
  .sort()
if (all.length === 0) process.exitCode = 1
const alone = all.filter(file => /^(?:attack|wire|property|browser)\b/.test(file))
const together = all.filter(file => !alone.includes(file))

process.env.TOGETHER = together.join()
const files = [...(together.length > 0 ? ['together.ts'] : []), ...alone].map(file => `${import.meta.dirname}/${file}`)
const stream = run({ files, concurrency: availableParallelism() })
stream.on('test:fail', () => {
  process.exitCode = 1
})
stream.compose(new spec()).pipe(process.stdout)
