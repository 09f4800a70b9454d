// Imports the files of another tool: recognises them, makes a project of them, and tries the project.

import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type Diagnostics, suggest } from '../../kernel/diagnostic.ts'
import { readSource } from '../../kernel/file/read-source.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import { approximate, isObject, parseJson, stringifyJson } from '../../kernel/json.ts'
import type { Plan } from '../../plan/plan.ts'
import { loadPlan } from '../load.ts'
import { carried, createRunner, credentialOf, inProcess, NO_CREDENTIAL } from '../probe/probe.ts'
import { findRecorded } from '../record/recorded-state.ts'
import {
  encodePairs,
  type ForeignFile,
  type Imported,
  type ImportedCase,
  ImportedFile,
  type ImportKind,
} from './imported.ts'
import { inferredProject, triedCases } from './inferred-project.ts'
import { jsonServer } from './json-server.ts'
import { mockoon } from './mockoon.ts'
import { mockserver } from './mockserver.ts'
import { postman } from './postman.ts'
import { type ProjectFiles, projectOf, writeProject } from './project.ts'
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
  { output, as, force = false, contract }: ImportOptions,
): Promise<ImportResult | undefined> {
  const files = names.flatMap(name => foreignFiles(resolve(home, name), home, report))
  if (report.failed) return undefined
  const kind =
    as === undefined
      ? KINDS.find(one => files.some(file => one.recognises(file.source.value)))
      : KINDS.find(({ name }) => name === as)
  const own = kind === undefined ? [] : files.filter(file => kind.recognises(file.source.value))
  if (kind === undefined || own.length === 0) {
    const known = `accepted are ${KINDS.map(({ what }) => what).join(', ')}, and recordings named .har`
    const message =
      as === undefined ? 'no file of a known kind was found' : (suggest(as, IMPORT_KINDS) ?? 'this is of another kind')
    report.error('unknown-import', message, placeOfFile(names[0] ?? ''), known)
    return undefined
  }
  const imported = kind.read(own, report)
  if (report.failed) return undefined
  const target = resolve(home, output)
  const trial = mkdtempSync(join(dirname(target), `.${basename(target)}-`))
  try {
    const place = { folder: trial, home, given: contract && resolve(home, contract) }
    const isOwn = contract === undefined && imported.hasExamples !== true
    const project = isOwn ? projectOf(imported) : await inferredProject(imported, place, report)
    if (report.failed) return undefined
    writeProject(trial, project, true)
    const { plan, report: found } = loadPlan(join(trial, 'gateway.yaml'), home, {}, { thorough: true })
    const tried = plan === undefined ? undefined : await tryCases(imported, plan)
    for (const { place: at, ...one } of found.unsorted) {
      const { line, column, length, text } = at
      const file = at.file.replace(relative(home, trial), output)
      report.add({ ...one, place: { file, line, column, length, text } })
    }
    if (tried === undefined) return undefined
    // A folder that is not there yet appears whole.
    if (existsSync(target)) writeProject(target, project, force)
    else renameSync(trial, target)
    return { kind, files: project, tried }
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
  for (const base of bases) {
    const path = resolve(base, name)
    if (!path.startsWith(resolve(base) + sep)) return `the file "${name}" is outside the folder`
    try {
      const real = realpathSync(path)
      if (!real.startsWith(realpathSync(base) + sep)) return `the file "${name}" is outside the folder`
      return readFileSync(real)
    } catch {}
  }
  return `there is no file "${name}"`
}

/** Sends the requests that the source names, and compares the replies. */
async function tryCases(imported: Imported, plan: Plan): Promise<Trials> {
  const { routes, hasExamples = false } = imported
  const runner = createRunner(plan)
  // A read of a collection leaves its world as it was; a rule may count the requests of one.
  const unchanged = runner.newWorld()
  const different: string[] = []
  let named = 0
  const whole = triedCases(imported)
  for (const one of whole) {
    const { path: given, query, headers, body } = one.trial
    const { path = given, target } = findRecorded(one.method, given, plan) ?? {}
    const { operation } = target?.planned ?? {}
    const credential = carried(operation ? credentialOf(undefined, operation, plan) : NO_CREDENTIAL)
    const faultWith = async (more: Readonly<Record<string, string>>) => {
      const usual: Record<string, string> = { accept: '*/*', ...(body && { 'content-type': 'application/json' }) }
      const own = { ...usual, ...headers, ...more, ...credential.headers }
      const all = [query, encodePairs(credential.query)].filter(Boolean).join('&')
      const sent = { method: one.method, path, query: all, headers: own, body }
      const world = hasExamples && one.method === 'GET' ? unchanged : runner.newWorld()
      return differenceOf(one, (await runner.send(inProcess(sent), world)).reply, hasExamples)
    }
    const fault = await faultWith({})
    if (fault === undefined) continue
    const prefer = one.body === undefined ? `code=${one.status}` : `example=${one.name}`
    if (hasExamples && (await faultWith({ prefer })) === undefined) named += 1
    else different.push(`${one.method} ${path}${query === '' ? '' : `?${query}`}: ${fault}`)
  }
  const tried = whole.length
  const reads = triedCases({ ...imported, routes: [] }).length
  const untried = routes.flatMap(({ cases }) => cases).length + reads - tried
  return { tried, equal: tried - different.length, named, untried, different }
}

type CaseReply = Awaited<ReturnType<ReturnType<typeof createRunner>['send']>>['reply']

type ExpectedReply = Pick<ImportedCase, 'status' | 'type' | 'body'> & { readonly method: string }

/**
 * Returns how a reply differs from that of a case.
 *
 * @param isStateful whether a reply to a change has its own ids and times, and a refusal its own words
 */
function differenceOf(
  { method, status, type, body }: ExpectedReply,
  reply: CaseReply,
  isStateful: boolean,
): string | undefined {
  if (reply.status !== status) return `${reply.status} instead of ${status}`
  if (body === undefined) return undefined
  const [got, wanted] = [reply.headers['content-type'], type].map(one => one?.split(';')[0]?.trim())
  if (wanted !== undefined && got !== wanted) return `${got} instead of ${wanted}`
  const sent = typeof reply.body === 'string' ? reply.body : new TextDecoder().decode(reply.body ?? new Uint8Array())
  if (body instanceof ImportedFile) return sent === new TextDecoder().decode(body.bytes) ? undefined : 'another file'
  const isText = typeof body === 'string'
  const written = isText ? body : stringifyJson(approximate(body))
  const plain = isStateful ? written : written.replace(/\$\{\\?"(\$\{|\{\{)\\?"\}/g, '\0$1')
  // The value of a template is not known.
  if (!isStateful && /(?<!\0)\$\{/.test(plain)) return undefined
  const expected = plain.replaceAll('\0', '')
  if (isText) return sent === expected ? undefined : 'another text'
  const parsed = parseJson(sent)
  if ('fault' in parsed) return 'no JSON'
  if (isStateful && (method !== 'GET' || status >= 400) && isAlike(parsed.value, body)) return undefined
  return stringifyJson(approximate(parsed.value)) === expected ? undefined : 'another body'
}

/** Whether two values have the same members, with values of the same types. */
const isAlike = (one: unknown, other: unknown): boolean =>
  isObject(one) && isObject(other)
    ? Object.keys({ ...one, ...other }).every(key => key in one && key in other && isAlike(one[key], other[key]))
    : typeof one === typeof other && Array.isArray(one) === Array.isArray(other)
