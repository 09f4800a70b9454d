// Packs the tarball, checks it with linters of packages, installs and starts it, and compiles against its types with an old
// compiler.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'understudy-package-'))
const bin = (name: string) => join(ROOT, 'node_modules/.bin', name)
// As in a workflow, which names its repository.
const env = { ...process.env, GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'example/understudy' }
const run = (program: string, args: readonly string[], cwd: string): string =>
  execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

try {
  const before = readFileSync(join(ROOT, 'package.json'), 'utf8')
  // A clean clone has no build: packing makes one.
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', scratch], ROOT))
  assert.equal(readFileSync(join(ROOT, 'package.json'), 'utf8'), before, 'packing leaves the manifest as it was')
  const tarball = join(scratch, packed.filename)
  const files: string[] = packed.files.map(({ path }: { path: string }) => path)
  for (const file of ['dist/cli.js', 'dist/index.js', 'LICENSE', 'README.md', 'config/gateway.yaml']) {
    assert.ok(files.includes(file), `the package has no ${file}`)
  }
  assert.deepEqual(
    files.filter(file => /^(?:src|build|test|bench|\.ci|node_modules)\//.test(file)),
    [],
  )
  assert.deepEqual(
    files.filter(file => file.endsWith('.d.ts')),
    ['index', 'node-test', 'playwright', 'vitest'].map(entry => `dist/${entry}.d.ts`),
  )

  const project = join(scratch, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], project)
  const home = join(project, 'node_modules/understudy-gateway')
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  assert.equal(manifest.dependencies, undefined, 'dist contains the packages: an installation fetches none')
  assert.deepEqual(manifest.repository, { type: 'git', url: 'git+https://github.com/example/understudy.git' })
  assert.equal(run('npx', ['understudy-gateway', '--version'], project).trim(), manifest.version)

  const bill = JSON.parse(readFileSync(join(home, 'dist/sbom.cdx.json'), 'utf8'))
  const direct = Object.keys(JSON.parse(before).dependencies)
  const named: string[] = bill.components.map(({ name }: { name: string }) => name)
  assert.deepEqual(
    direct.filter(name => !named.includes(name)),
    [],
    'the bill of materials names every dependency',
  )

  run(bin('publint'), ['--strict', tarball], ROOT)
  run(bin('attw'), ['--profile', 'esm-only', tarball], ROOT)

  const exported = JSON.parse(
    run(
      process.execPath,
      ['-e', "import('understudy-gateway').then(all => console.log(JSON.stringify(Object.keys(all))))"],
      project,
    ),
  )
  const declared = /^export \{ (.*) \};$/m.exec(readFileSync(join(home, 'dist/index.d.ts'), 'utf8'))?.[1]?.split(', ')
  assert.deepEqual(declared, exported, 'the declarations have the values that the program exports, and no others')

  // The oldest compiler that is supported, with every declaration checked.
  writeFileSync(
    join(project, 'uses.ts'),
    `import { ConfigurationError, type RunningGateway, startGateway, type Verdict, type WorldHandle } from 'understudy-gateway'
const gateway: RunningGateway = await startGateway({ config: 'gateway.yaml', port: 0 })
const world: WorldHandle = gateway.world('a')
const verdict: Verdict = world.verify({ operation: 'listPets' }, { min: 2 })
export const report: readonly string[] = verdict.nearest.map(({ request }) => request.method)
await gateway.close()
export { ConfigurationError }
`,
  )
  // Without any types of Koa, as in a program that does not use it.
  writeFileSync(
    join(project, 'middleware.ts'),
    `import { type KoaMiddleware, startGateway, type Understudy, understudy } from 'understudy-gateway'
const standIn: Understudy = understudy({ config: 'gateway.yaml', unmatched: 'next' })
const passing: KoaMiddleware = async (ctx, next) => {
  if (ctx.path === '/own') ctx.body = { own: ctx.get('x-a') }
  else await next()
}
await startGateway({ config: 'gateway.yaml', use: [passing, async (ctx, next) => { ctx.set('x-b', '1'); await next() }] })
standIn.close()
`,
  )
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022']
  const old = join(ROOT, 'node_modules/typescript-5.4/bin/tsc')
  run(process.execPath, [old, ...options, '--module', 'nodenext', 'uses.ts', 'middleware.ts'], project)

  // In a program that uses Koa, both kinds of middleware are Koa's own. The types of Koa are not ours to check.
  symlinkSync(join(ROOT, 'node_modules/@types'), join(project, 'node_modules/@types'))
  writeFileSync(
    join(project, 'koa.ts'),
    `import Koa from 'koa'
import mount from 'koa-mount'
import { startGateway, understudy } from 'understudy-gateway'
const standIn = understudy({ config: 'gateway.yaml' })
const app = new Koa()
app.use(standIn)
app.use(mount('/mock', standIn))
const own: Koa.Middleware = (ctx, next) => (ctx.path === '/own' ? ctx.throw(403) : next())
await startGateway({ config: 'gateway.yaml', use: [own] })
`,
  )
  const interop = ['--esModuleInterop', '--skipLibCheck', '--types', 'node']
  run(process.execPath, [old, ...options, ...interop, '--module', 'nodenext', 'koa.ts'], project)
} finally {
  rmSync(scratch, { recursive: true })
}
console.log('the package installs by itself, starts, and is typed for TypeScript 5.4')
