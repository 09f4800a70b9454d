// The commands of the release and of the action, with stand-ins for npm, npx and gh.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { parse } from 'yaml'
import { PROGRAM } from '../support/built-program.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const MANIFEST = JSON.parse(read('package.json')) as { name: string; version: string }
const scratch = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(scratch, { recursive: true }))

interface Step {
  readonly run?: string
}

interface Ended {
  readonly code: number
  readonly out: string
}

/** Runs a command of a step as a runner does, with programs of `stand-ins/` in place of those that reach other machines. */
function runStep(command: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const path = `${join(scratch, 'stand-ins')}:${process.env.PATH}`
  return new Promise(done => {
    const options = { cwd, env: { PATH: path, RUNNER_TEMP: cwd, ...env } }
    execFile('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', command], options, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), out: out + err }),
    )
  })
}

function standIn(name: string, script: string): void {
  mkdirSync(join(scratch, 'stand-ins'), { recursive: true })
  writeFileSync(join(scratch, 'stand-ins', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

function folder(name: string): string {
  const path = join(scratch, name)
  mkdirSync(path)
  return path
}

suite('workflows', () => {
  test('the commands of a release publish the tarball with provenance, and its notes', async () => {
    for (const name of ['npm', 'npx', 'gh']) standIn(name, `echo ${name} "$@"`)
    const cwd = folder('release')
    const tarball = `understudy-gateway-${MANIFEST.version}.tgz`
    mkdirSync(join(cwd, '.ci'))
    cpSync(join(ROOT, '.ci/release-notes.mjs'), join(cwd, '.ci/release-notes.mjs'))
    cpSync(join(ROOT, 'package.json'), join(cwd, 'package.json'))
    writeFileSync(
      join(cwd, 'CHANGELOG.md'),
      `# Changelog\n\n## [${MANIFEST.version}] - 2026-01-01\n\n- A line.\n\n## [0.0.1]\n`,
    )
    writeFileSync(join(cwd, '.ci/run'), '#!/bin/sh\necho checked\n', { mode: 0o755 })
    writeFileSync(join(cwd, tarball), 'a tarball')

    const { jobs } = parse(read('.github/workflows/release.yml')) as { jobs: { package: { steps: Step[] } } }
    const replies: string[] = []
    for (const { run } of jobs.package.steps) {
      if (run === undefined) continue
      const { code, out } = await runStep(run, cwd, { GITHUB_REF_NAME: `v${MANIFEST.version}` })
      assert.equal(code, 0, `${run}: ${out}`)
      replies.push(out.trim())
    }
    assert.deepEqual(replies.filter(Boolean), [
      'checked',
      'npx tsx .ci/fixtures.ts',
      'npm pack',
      `npm publish --provenance --access public ./${tarball}`,
      `gh release create v${MANIFEST.version} --verify-tag --notes-file ${cwd}/notes.md ${tarball} SHA256SUMS`,
    ])
    assert.equal(readFileSync(join(cwd, 'notes.md'), 'utf8'), '- A line.\n')
    assert.match(readFileSync(join(cwd, 'SHA256SUMS'), 'utf8'), new RegExp(`^[0-9a-f]{64} {2}${tarball}\n$`))

    const wrong = await runStep('node .ci/release-notes.mjs v9.9.9', cwd, {})
    assert.equal(wrong.code, 1)
    assert.match(wrong.out, /the tag is v9\.9\.9, and package\.json has the version/)
  })
})

suite('the action', () => {
  const action = parse(read('action.yml')) as {
    inputs: Record<string, { default?: string }>
    runs: { steps: readonly [Required<Step>] }
  }
  const [{ run }] = action.runs.steps

  /** The lines that the step prints, and the summary that it writes. */
  async function runAction(command: string, ...args: readonly string[]) {
    // npx with the package and the version that are asked for is the built program here.
    standIn(
      'npx',
      `[ "$1 $2" = "--yes understudy-gateway@${MANIFEST.version}" ] || exit 99\nshift 2\nexec node ${PROGRAM} "$@"`,
    )
    const cwd = folder(`action-${command}`)
    writeFileSync(join(cwd, 'openapi.yaml'), read('config/openapi.yaml'))
    writeFileSync(join(cwd, 'gateway.yaml'), 'contract: ./openapi.yaml\nlimits: { body: 1000 }\n')
    const GITHUB_STEP_SUMMARY = join(cwd, 'summary.md')
    const env = { GITHUB_STEP_SUMMARY, COMMAND: command, ARGUMENTS: args.join('\n'), VERSION: MANIFEST.version }
    const { code, out } = await runStep(run, cwd, env)
    return { code, out, summary: code === 2 ? '' : readFileSync(GITHUB_STEP_SUMMARY, 'utf8') }
  }

  test('has the version of the package', () => {
    assert.equal(action.inputs.version?.default, MANIFEST.version)
  })

  test('annotates the mistakes of a configuration, lists them in the summary, and fails', async () => {
    const { code, out, summary } = await runAction('check', 'gateway.yaml')
    assert.equal(code, 1)
    assert.match(out, /^::error file=gateway\.yaml,line=2,col=17,.*"body" needs a unit/m)
    assert.match(summary, /"body" needs a unit/)
  })

  test('reports a coverage in the summary, with arguments that have blanks', async () => {
    const report = join(scratch, 'an empty report.json')
    writeFileSync(report, '{}')
    const { code, out } = await runAction('coverage', '--merge', report)
    assert.equal(code, 1)
    assert.match(out, /an empty report\.json/)
  })

  test('refuses another command', async () => {
    const { code, out } = await runAction('serve; echo secret')
    assert.equal(code, 2)
    assert.equal(out, '::error::command is check, next or coverage, not "serve; echo secret"\n')
  })
})
