import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type CoverageReport, type RunningGateway, startGateway } from '../../../../src/index.ts'
import { PROGRAM, ROOT } from '../../../support/program-paths.ts'

const KEY = { authorization: 'Bearer demo-key' }
const NO_GENHTML = spawnSync('genhtml', ['--version']).status === 0 ? false : 'needs genhtml of Debian package lcov'

const createPet = (api: string, body: object) =>
  fetch(`${api}/pets`, {
    method: 'POST',
    headers: { ...KEY, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
  })

describe('the coverage of a running gateway', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  let gateway: RunningGateway
  const run = async (...args: string[]) => {
    const child = spawn(process.execPath, [PROGRAM, 'coverage', ...args], { cwd: folder })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', chunk => (out += chunk))
    child.stderr.setEncoding('utf8').on('data', chunk => (err += chunk))
    const code = await new Promise(resolve => child.on('close', resolve))
    return { code, out, err }
  }

  before(async () => {
    gateway = await startGateway({ config: 'config/gateway.yaml' })
    await fetch(`${gateway.url}/pets?limit=20`, { headers: KEY })
    await createPet(gateway.url, { name: 'Rex', categoryId: 3 })
  })
  after(async () => {
    await gateway.close()
    rmSync(folder, { recursive: true })
  })

  test('the command prints a table, and fails below the minimum', async () => {
    const { code, out, err } = await run('--from', gateway.control, '--min', '90')
    assert.equal(code, 1)
    assert.match(out, /^createPet +1 +6 of 14 +42\.8 +0 of 9$/m)
    assert.match(out, /^ {2}getPet +never called +config\/openapi\.yaml:84$/m)
    assert.match(err, /% is below 90 %; \d+ parts were never touched/)
    assert.equal((await run('--from', gateway.control, '--min', '20')).code, 0)
  })

  test('reports of several runs are merged from files', async () => {
    const { out } = await run('--from', gateway.control, '--format', 'json')
    const report = JSON.parse(out) as CoverageReport
    assert.deepEqual(report, gateway.coverage())
    writeFileSync(join(folder, 'a.json'), out)
    gateway.resetCoverage()
    await fetch(`${gateway.url}/pets/1`, { headers: KEY })
    writeFileSync(join(folder, 'b.json'), JSON.stringify(gateway.coverage()))
    const merged = JSON.parse((await run('--merge', 'a.json', 'b.json', '--format', 'json')).out) as CoverageReport
    assert.equal(merged.total, report.total)
    assert.equal(merged.seen, report.seen + gateway.coverage().seen)
    writeFileSync(join(folder, 'c.json'), '{"operations": 1}')
    const { code, err } = await run('--merge', 'a.json', '--merge', 'c.json', '--merge', 'd.json')
    assert.equal(code, 1)
    assert.match(err, /c\.json is not a coverage report[^\n]*\n.*d\.json cannot be read/)
  })

  test('a control plane that is not there is named with a remedy', async () => {
    const { code, err } = await run('--from', 'http://127.0.0.1:9')
    assert.equal(code, 1)
    assert.match(err, /http:\/\/127\.0\.0\.1:9 cannot be read \(.*\); start `understudy serve`/)
  })

  test('genhtml makes pages of lcov', { skip: NO_GENHTML }, async () => {
    await createPet(gateway.url, { name: 'Rex', categoryId: 3 })
    writeFileSync(join(folder, 'contract.lcov'), await (await fetch(`${gateway.control}/coverage?format=lcov`)).text())
    const output = execFileSync(
      'genhtml',
      [join(folder, 'contract.lcov'), '--output-directory', join(folder, 'html')],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    )
    assert.match(output, /lines\.+: \d+\.\d% \(\d+ of 30 lines\)/)
    assert.match(output, /functions\.+: 50\.0% \(2 of 4 functions\)/)
    const page = readFileSync(join(folder, 'html', 'config', 'openapi.yaml.gcov.html'), 'utf8')
    assert.match(page, /lineNoCov[^\n]*operationId|lineNoCov/)
  })

  test('the control plane resets it', async () => {
    assert.equal((await fetch(`${gateway.control}/coverage`, { method: 'DELETE' })).status, 204)
    assert.equal(gateway.coverage().seen, 0)
  })
})
