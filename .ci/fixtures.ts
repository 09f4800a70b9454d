// Installs the tarball and the runners from the registry, and runs the first tests of docs/testing.md as they are shown: with
// Playwright on two workers, with Vitest and with node:test. Playwright needs Chromium.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHROMIUM, withoutBrowser } from '../test/browser/chromium.ts'
import { blocksOf } from '../test/support/pages.ts'

const ROOT = join(import.meta.dirname, '..')
const RUNNERS = ['@playwright/test@1.65', 'vitest@4', 'tsx@4', 'typescript@5', '@types/node@22']
const scratch = mkdtempSync(join(tmpdir(), 'understudy-fixtures-'))
const project = join(scratch, 'project')
const { NODE_TEST_CONTEXT: _, ...env } = process.env
const run = (program: string, args: readonly string[], cwd = project): string =>
  execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

assert.equal(withoutBrowser, false, `Playwright needs a browser: ${withoutBrowser}`)
try {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', scratch], ROOT))
  mkdirSync(project)
  for (const folder of ['config', 'fixtures']) cpSync(join(ROOT, folder), join(project, folder), { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  run('npm', ['install', '--no-audit', '--no-fund', join(scratch, packed.filename), ...RUNNERS])

  const shown = blocksOf('docs/testing.md').filter(({ language }) => language === 'ts')
  for (const [runner, file] of [
    ['playwright', 'pages.spec.ts'],
    ['vitest', 'shop.test.ts'],
    ['node-test', 'adoption.ts'],
  ] as const) {
    const [block] = shown.filter(({ text }) => text.includes(`'understudy-gateway/${runner}'`))
    assert.ok(block, `the page has no test for ${runner}`)
    writeFileSync(join(project, file), block.text)
  }
  writeFileSync(
    join(project, 'playwright.config.ts'),
    `import { defineConfig } from '@playwright/test'
export default defineConfig({ testMatch: '*.spec.ts', fullyParallel: true, workers: 2, use: { launchOptions: ${JSON.stringify({ executablePath: CHROMIUM })} } })
`,
  )
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
  run('npx', ['tsc', ...options, 'pages.spec.ts', 'shop.test.ts', 'adoption.ts'])
  assert.match(run('npx', ['playwright', 'test', '--reporter', 'line']), /2 passed/)
  assert.match(
    run('npx', ['understudy', 'coverage', '--merge', 'test-results/understudy-coverage.json']),
    /listPets +2/,
  )
  assert.match(run('npx', ['vitest', 'run', 'shop.test.ts']), /1 passed/)
  assert.match(run(process.execPath, ['--import', 'tsx', '--test', 'adoption.ts']), /pass 3/)
} finally {
  rmSync(scratch, { recursive: true })
}
console.log('the fixtures run with Playwright, Vitest and node:test')
