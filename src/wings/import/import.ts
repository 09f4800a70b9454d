// Imports the files of another tool: recognises them, makes a project of them, and tries the project.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { Diagnostics, type Place } from '../../kernel/diagnostic.ts'
import { BINARY_FILE } from '../../kernel/file/parsed-text.ts'
import { isApiDocument, ReplyFiles, readSource } from '../../kernel/file/read-source.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import { inProcess } from '../../kernel/in-process.ts'
import { isObject } from '../../kernel/json.ts'
import type { LoadWing } from '../../load/contract-file.ts'
import { loadPlan } from '../../load/load.ts'
import { acceptedCredential, carried, NO_CREDENTIAL } from '../../plan/credentials.ts'
import type { Plan } from '../../plan/plan.ts'
import { createRunner } from '../probe/runner.ts'
import { encodePairs, type ForeignFile, type Imported, type ImportKind } from '../project/imported.ts'
import { exchangesIn, type InferredProject, inferredProject } from '../project/inferred-project.ts'
import { jsonOfMessage } from '../project/messages.ts'
import {
  type Project,
  type ProjectFiles,
  type ProjectPart,
  projectOf,
  withoutParts,
  writeProject,
} from '../project/project.ts'
import { findRecorded } from '../project/recorded-state.ts'
import { differencesBetween } from '../project/replay.ts'
import { jsonServer } from './json-server.ts'
import { mockoon } from './mockoon.ts'
import { mockserver } from './mockserver.ts'
import { postman } from './postman.ts'
import { wiremock } from './wiremock.ts'

/** The kinds of files that can be imported, in the order in which they are tried. A new one is one file and one line. */
const KINDS: readonly ImportKind[] = [wiremock, mockoon, mockserver, postman, jsonServer]

const ACCEPTED = `accepted are ${KINDS.map(({ what }) => what).join(', ')}, and HAR`

/** The result of an import. */
export interface ImportResult {
  readonly kind: ImportKind
  readonly files: ProjectFiles
  readonly tried: Trials
  /** The names of environment variables that have to be set. */
  readonly variables: readonly string[]
}

/** How many replies of the source the project gives. */
export interface Trials {
  readonly tried: number
  readonly equal: number
  /** Replies with the same status and types: the source or the stand-in draws or makes the values. */
  readonly alike: number
  /** Those of both that are given where the request names the example. */
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
  const foreign = files.filter(({ source }) => servedAs(source.value) === undefined)
  const reads = (one: ImportKind, { source }: ForeignFile) =>
    one.recognises(source.value) || (as !== undefined && one.admits?.(source.value) === true)
  const kind = KINDS.find(one => (as ?? one.name) === one.name && foreign.some(file => reads(one, file)))
  if (kind === undefined) {
    const actual = KINDS.find(one => foreign.some(({ source }) => one.recognises(source.value)))
    refuseUnknown(files, as, actual, placeOfFile(names[0] ?? ''), report)
    return undefined
  }
  const own = foreign.filter(file => reads(kind, file))
  const given = kind.read(own, report)
  if (report.failed) return undefined
  mkdirSync(dirname(target), { recursive: true })
  const trial = mkdtempSync(join(dirname(target), `.${basename(target)}-`))
  try {
    const place = { folder: trial, home, given: contract && resolve(home, contract), wings }
    const isOwn = contract === undefined && given.hasExamples !== true
    const made = isOwn ? undefined : await inferredProject(given, place, report)
    if (report.failed) return undefined
    const refuse = ({ of, place: at = placeOfFile(own[0]?.name ?? '') }: ProjectPart, message: string) => {
      const what = typeof of === 'string' ? `"${of}" is left out` : 'this is left out'
      report.warning('not-imported', `${what}, because the project is refused with it: ${message}`, at, 'correct it')
    }
    const loaded = loadProject(given, made, { folder: trial, home, wings }, refuse)
    const { imported, files: project, mistakes, plan, found, variables } = loaded
    const tried = plan === undefined ? undefined : await tryCases(imported, plan)
    // A stub of an error needs no success beside it.
    const about = [...(mistakes?.unsorted ?? []), ...found.unsorted].filter(({ code }) => code !== 'no-success')
    for (const { place: at, ...one } of about) {
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

/** Returns what a file is that is served as it is; `undefined` for another file. */
function servedAs(value: unknown): string | undefined {
  if (isApiDocument(value)) return 'an OpenAPI document'
  const contract = isObject(value) ? value.contract : undefined
  return typeof contract === 'string' || isApiDocument(contract) ? 'a gateway file' : undefined
}

/** Reports that nothing can be imported. @param actual the kind of the files, where another one was asked for */
function refuseUnknown(
  files: readonly ForeignFile[],
  as: string | undefined,
  actual: ImportKind | undefined,
  place: Place,
  report: Diagnostics,
): void {
  const message = `no file of ${as ?? 'a known kind'} was found`
  if (actual !== undefined) {
    report.error(
      'unknown-import',
      `${message}, but ${actual.what}`,
      place,
      `write --as ${actual.name}, or leave it out`,
    )
    return
  }
  const served = files.find(({ source }) => servedAs(source.value) !== undefined)
  if (served !== undefined) {
    const { name, source } = served
    const what = `this is ${servedAs(source.value)}, which needs no import`
    report.error('unknown-import', what, placeOfFile(name), `serve it: understudy serve ${name}`)
    return
  }
  report.error('unknown-import', message, place, ACCEPTED)
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
    const found = new Diagnostics()
    const source = readSource(file, name, found, 'records')
    for (const mistake of found.unsorted) {
      if (mistake.code === BINARY_FILE) report.error('unknown-import', mistake.message, mistake.place, ACCEPTED)
      else report.add(mistake)
    }
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

/** The number of times that a project is loaded without the parts that it was refused for. */
const MOST_LOADS = 20

interface LoadedProject extends InferredProject {
  readonly imported: Imported
  readonly plan: Plan | undefined
  readonly found: Diagnostics
  /** The names of environment variables that have to be set. */
  readonly variables: readonly string[]
}

interface TrialPlace {
  readonly folder: string
  readonly home: string
  readonly wings: readonly LoadWing[]
}

/** Writes a project to a folder and loads it: without the parts that it is refused for, which are reported. */
function loadProject(
  given: Imported,
  made: InferredProject | undefined,
  { folder, home, wings }: TrialPlace,
  refuse: (part: ProjectPart, message: string) => void,
): LoadedProject {
  let imported = given
  for (let loads = 1; ; loads++) {
    const { files, parts, ...rest }: InferredProject & Partial<Project> = made ?? projectOf(imported)
    writeProject(folder, files)
    const gateway = String(files.get('gateway.yaml'))
    const variables = (imported.variables ?? []).filter(name => gateway.includes(`\${${name}}`))
    const environment = Object.fromEntries(variables.map(name => [name, `any-${name}`]))
    const known = rest.contract
    const { plan, report: found } = loadPlan(join(folder, 'gateway.yaml'), home, environment, { known, wings })
    const refused = plan === undefined && loads < MOST_LOADS ? refusedParts(parts ?? [], found, folder) : []
    if (refused.length === 0) return { ...rest, files, imported, plan, found, variables }
    for (const [part, message] of refused) refuse(part, message)
    imported = withoutParts(imported, new Set(refused.map(([{ of }]) => of)))
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
  }
}

/** Returns the parts of a project that the errors are in, each with the first one. */
function refusedParts(parts: readonly ProjectPart[], found: Diagnostics, folder: string): [ProjectPart, string][] {
  const refused = new Map<ProjectPart['of'], [ProjectPart, string]>()
  for (const name of ['gateway.yaml', 'openapi.yaml'] as const) {
    const source = readSource(join(folder, name), name, new Diagnostics())
    const begins = parts
      .filter(({ file }) => file === name)
      .map(part => ({ part, at: source?.locate(part.path, 'key') ?? placeOfFile(name) }))
      .sort((a, b) => comparePlaces(a.at, b.at))
    for (const { severity, place, message } of found.list) {
      if (severity !== 'error' || basename(place.file) !== name) continue
      const last = begins.findLast(({ at }) => comparePlaces(at, place) <= 0)
      if (last !== undefined && !refused.has(last.part.of)) refused.set(last.part.of, [last.part, message])
    }
  }
  return [...refused.values()]
}

const comparePlaces = (a: Place, b: Place): number => a.line - b.line || a.column - b.column

const NO_KEYS = carried(NO_CREDENTIAL)

/** Sends the requests that the source names, and compares the replies. */
async function tryCases(imported: Imported, plan: Plan): Promise<Trials> {
  const { routes, hasExamples = false } = imported
  const runner = createRunner(plan)
  // Reads leave their world as it was, and changes rarely meet each other; a rule may count the requests of a world.
  const [unchanged, changed] = [runner.newWorld(), runner.newWorld()]
  const different: string[] = []
  let [named, alike] = [0, 0]
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
    let isEqual = false
    const differenceWith = async (more: Readonly<Record<string, string>>, world = shared, credential = accepted) => {
      const headers = { accept: '*/*', ...request.headers, ...more, ...credential.headers }
      const all = [query, encodePairs(credential.query)].filter(Boolean).join('&')
      const sent = inProcess({ method, path, query: all, headers, body: request.body as string | undefined })
      const answer = (await runner.send(sent, world)).reply
      const [first] = differencesBetween(one, shown, answer, leeway)
      const [exact] = differencesBetween(one, shown, answer, 'none')
      isEqual = exact === undefined && !reply.isPartial && !one.isDrawn
      return first
    }
    const prefer = reply.isPartial ? `code=${reply.status}` : `example=${from.name}`
    const difference = (await differenceWith({})) && (await differenceWith({}, runner.newWorld()))
    const isRefused = async () => reply.status === 401 && !(await differenceWith({}, shared, NO_KEYS))
    const isNamed = async () => hasExamples && !(await differenceWith({ prefer }))
    if (difference !== undefined && !(await isRefused())) {
      if (await isNamed()) named += 1
      else {
        different.push(`${method} ${path}${query === '' ? '' : `?${query}`}: ${difference}`)
        continue
      }
    }
    if (!isEqual) alike += 1
  }
  const tried = whole.length
  const known = new Set(whole.map(({ from }) => from))
  const untried = routes.flatMap(({ cases }) => cases).filter(one => !known.has(one)).length
  return { tried, equal: tried - different.length - alike, alike, named, untried, different }
}
