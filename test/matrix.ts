// npm run matrix: the tests on each version of Node that is supported, and on the next. `npm run matrix 24 -- wire/fault` runs
// some files on one version. The engines are npm packages, installed on first use into a cache folder.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const VERSIONS = ['20', '22', '24', '26']
const ROOT = join(import.meta.dirname, '..')
const HOME = join(ROOT, 'node_modules/.cache/understudy/engines')

const words = process.argv.slice(2).filter(word => word !== '--')
const chosen = words.filter(word => VERSIONS.includes(word))
const files = words.filter(word => !VERSIONS.includes(word))

const outcomes: string[] = []
for (const major of chosen.length > 0 ? chosen : VERSIONS) {
  const engine = engineOf(major)
  const version = execFileSync(engine, ['--version'], { encoding: 'utf8' }).trim()
  console.log(`\nNode ${version}`)
  // Tests that start `npm` or `node` by name must get this engine too.
  const env = { ...process.env, PATH: `${dirname(engine)}${delimiter}${process.env.PATH}` }
  const { status } = spawnSync(engine, ['--import', 'tsx', 'test/run.ts', '--all', ...files], {
    cwd: ROOT,
    env,
    stdio: 'inherit',
  })
  outcomes.push(`Node ${version}: ${status === 0 ? 'passed' : 'failed'}`)
  if (status !== 0) process.exitCode = 1
}
console.log(`\n${outcomes.join('\n')}`)

/** The path of the newest release of a major version, installed if it is not there yet. */
function engineOf(major: string): string {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const home = join(HOME, major)
  const engine = join(home, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (existsSync(engine)) return engine
  mkdirSync(home, { recursive: true })
  const options = ['--prefix', home, '--no-save', '--no-audit', '--no-fund', '--engine-strict=false']
  execFileSync('npm', ['install', ...options, `${name}@${major}`], { cwd: home, stdio: 'inherit' })
  return engine
}
