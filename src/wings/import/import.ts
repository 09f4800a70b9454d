// Imports the files of another tool: recognises them, makes a project of them, and tries the project.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { ReplyFiles, readSource } from '../../kernel/file/read-source.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import type { LoadWing } from '../../load/contract-file.ts'
import { loadPlan } from '../../load/load.ts'
import { acceptedCredential, carried, createRunner, inProcess, NO_CREDENTIAL } from '../../load/probe/probe.ts'
import type { Plan } from '../../plan/plan.ts'
import { encodePairs, type ForeignFile, type Imported, type ImportKind } from '../project/imported.ts'
import { exchangesIn, type InferredProject, inferredProject } from '../project/inferred-project.ts'
import { type ProjectFiles, projectOf, writeProject } from '../project/project.ts'
import { findRecorded } from '../project/recorded-state.ts'
import { jsonOfMessage } from '../project/recording.ts'
import { differencesBetween } from '../project/replay.ts'
import { jsonServer } from './json-server.ts'
import { mockoon } from './mockoon.ts'
import { mockserver } from './mockserver.ts'
import { postman } from './postman.ts'
import { wiremock } from './wiremock.ts'

/** The kinds of files that can be imported, in the order in which they are tried. A new one is one file and one line. */
const KINDS: readonly ImportKind[] = [wiremock, mockoon, mockserver, postman, jsonServer]

/** A HAR is recorded: see `record`. */
export const IMPORT_KINDS: readonly string[] = ['har', ...KINDS.map(({ name }) => name)]

/** The result of an import. */
export interface ImportResult {
  readonly kind: ImportKind
  readonly files: ProjectFiles
  readonly tried: Trials
  /** The names of environment variables that have to be set. */
  readonly variables: readonly string[]
}

/** How many replies of the source the project answers equally. */
export interface Trials {
  readonly tried: number
  readonly equal: number
  /** Those of them that are equal where the request names the example. */
  readonly named: number
  /** Cases for which the source names no whole request. */
  readonly untried: number
  /** Why the others are not equal, a line each. */
  readonly different: readonly string[]
}

interface ImportOptions {
  /** The folder that the project is written to. It must not exist, or be empty, unless `force` is set. */
  readonly output: string
  readonly as?: string | undefined
  readonly force?: boolean
  /** The OpenAPI document that the requests are for; without it one is made. */
  readonly contract?: string | undefined
  readonly wings: readonly LoadWing[]
}

/**
 * Imports files and folders, and writes the project.
 *
 * @param names relative to `home`, or absolute
 * @returns `undefined` where nothing could be imported: the report says why
 */
export async function importFiles(
  names: readonly string[],
  home: string,
  report: Diagnostics,
  { output, as, force = false, contract, wings }: ImportOptions,
): Promise<ImportResult | undefined> {
  const target = resolve(home, output)
  if (existsSync(target) && (!statSync(target).isDirectory() || (!force && readdirSync(target).length > 0))) {
    const hint = 'name another one, or overwrite its files with --force'
    report.error('output-exists', `${output} exists and is not an empty folder`, placeOfFile(output), hint)
    return undefined
  }
  const files = names.flatMap(name => foreignFiles(resolve(home, name), home, report))
  if (report.failed) return undefined
  const kind = KINDS.find(
    one => (as ?? one.name) === one.name && files.some(({ source }) => one.recognises(source.value)),
  )
  if (kind === undefined) {
    const known = `accepted are ${KINDS.map(({ what }) => what).join(', ')}, and HAR`
    report.error('unknown-import', `no file of ${as ?? 'a known kind'} was found`, placeOfFile(names[0] ?? ''), known)
    return undefined
  }
  const own = files.filter(({ source }) => kind.recognises(source.value))
  const imported = kind.read(own, report)
  if (report.failed) return undefined
  mkdirSync(dirname(target), { recursive: true })
  const trial = mkdtempSync(join(dirname(target), `.${basename(target)}-`))
  try {
    const place = { folder: trial, home, given: contract && resolve(home, contract), wings }
    const isOwn = contract === undefined && imported.hasExamples !== true
    const made = isOwn ? { files: projectOf(imported) } : await inferredProject(imported, place, report)
    const { files: project, contract: known, mistakes }: InferredProject = made
    if (report.failed) return undefined
    writeProject(trial, project)
    const gateway = String(project.get('gateway.yaml'))
    const variables = (imported.variables ?? []).filter(name => gateway.includes(`\${${name}}`))
    const environment = Object.fromEntries(variables.map(name => [name, `any-${name}`]))
    const { plan, report: found } = loadPlan(join(trial, 'gateway.yaml'), home, environment, { known, wings })
    const tried = plan === undefined ? undefined : await tryCases(imported, plan)
    for (const { place: at, ...one } of [...(mistakes?.unsorted ?? []), ...found.unsorted]) {
      const { line, column, length, text } = at
      const file = at.file.replace(relative(home, trial), output)
      report.add({ ...one, place: { file, line, column, length, text } })
    }
    if (tried === undefined) return undefined
    // A folder that is not there yet appears whole.
    if (existsSync(target)) writeProject(target, project)
    else renameSync(trial, target)
    return { kind, files: project, tried, variables }
  } finally {
    rmSync(trial, { recursive: true, force: true })
  }
}

/** The files in a folder, or the one file. */
function foreignFiles(path: string, home: string, report: Diagnostics): ForeignFile[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  const paths = isFolder
    ? readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter(name => /\.(?:json|ya?ml)$/i.test(name) && !/(?:^|[/\\])(?:__files|node_modules)[/\\]/.test(name))
        .sort()
        .map(name => join(path, name))
    : [path]
  const root = isFolder ? path : dirname(path)
  return paths.flatMap(file => {
    const name = relative(home, file)
    const source = readSource(file, name, report, 'records')
    return source === undefined ? [] : [{ source, name, readBeside: beside => readBelow(root, dirname(file), beside) }]
  })
}

/** Reads a file that a source names, below its folder or one above: `__files` is beside `mappings`. */
function readBelow(root: string, folder: string, name: string): Uint8Array | string {
  const within = /[/\\]mappings(?:[/\\]|$)/.exec(folder)
  const bases = [folder, root, ...(within === null ? [] : [folder.slice(0, within.index)])]
  const read = bases.map(base => new ReplyFiles(base).read(name))
  return read.find(one => typeof one !== 'string') ?? read.find(one => !String(one).startsWith('there is')) ?? read[0]!
}

const NO_KEYS = carried(NO_CREDENTIAL)

/** Sends the requests that the source names, and compares the replies. */
async function tryCases(imported: Imported, plan: Plan): Promise<Trials> {
  const { routes, hasExamples = false } = imported
  const runner = createRunner(plan)
  // Reads leave their world as it was, and changes rarely meet each other; a rule may count the requests of a world.
  const [unchanged, changed] = [runner.newWorld(), runner.newWorld()]
  const different: string[] = []
  let named = 0
  const whole = exchangesIn(imported)
  for (const one of whole) {
    const { from, method, query, request, reply } = one
    const { path = one.path, target } = findRecorded(method, one.path, plan) ?? {}
    const { operation } = target?.planned ?? {}
    const accepted = carried((operation && acceptedCredential(operation, plan)) ?? NO_CREDENTIAL)
    const shown = jsonOfMessage(reply)
    // The stand-in has its own ids and times, and its own words for a refusal.
    const isFree = one.isDrawn || (hasExamples && (method !== 'GET' || reply.status >= 400))
    const leeway = isFree ? 'values' : 'none'
    const shared = !hasExamples ? runner.newWorld() : method === 'GET' ? unchanged : changed
    const differenceWith = async (more: Readonly<Record<string, string>>, world = shared, credential = accepted) => {
      const headers = { accept: '*/*', ...request.headers, ...more, ...credential.headers }
      const all = [query, encodePairs(credential.query)].filter(Boolean).join('&')
      const sent = inProcess({ method, path, query: all, headers, body: request.body as string | undefined })
      const [first] = differencesBetween(one, shown, (await runner.send(sent, world)).reply, leeway)
      return first
    }
    const difference = (await differenceWith({})) && (await differenceWith({}, runner.newWorld()))
    if (difference === undefined || (reply.status === 401 && !(await differenceWith({}, shared, NO_KEYS)))) continue
    const prefer = reply.isPartial ? `code=${reply.status}` : `example=${from.name}`
    if (hasExamples && !(await differenceWith({ prefer }))) named += 1
    else different.push(`${method} ${path}${query === '' ? '' : `?${query}`}: ${difference}`)
  }
  const tried = whole.length
  const known = new Set(whole.map(({ from }) => from))
  const untried = routes.flatMap(({ cases }) => cases).filter(one => !known.has(one)).length
  return { tried, equal: tried - different.length, named, untried, different }
}
