// The project whose records are inferred: from a contract with saved replies as examples, or from a contract that was there.

import { join } from 'node:path'
import type { RespondConfig } from '../../behaviours/respond/config.ts'
import type { Contract } from '../../contract/contract.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import { writeYaml } from '../../kernel/file/write-yaml.ts'
import { inProcess } from '../../kernel/in-process.ts'
import { approximate, isObject, type Json, type JsonObject, mapValues, put, stringifyJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { LoadWing } from '../../load/contract-file.ts'
import { loadContract } from '../../load/load.ts'
import { houseWith } from '../../plan/house.ts'
import type { Plan } from '../../plan/plan.ts'
import { inferGateway } from '../infer/infer.ts'
import { referenceTo } from '../infer/reference.ts'
import { withoutEmpty } from './described.ts'
import { differencesOf } from './differences.ts'
import { jsonOf } from './handlebars.ts'
import type { RecordedExchange } from './har.ts'
import {
  addFixture,
  allOf,
  type Imported,
  type ImportedCase,
  ImportedFile,
  renamed,
  requestConditions,
  withType,
} from './imported.ts'
import { jsonOfMessage } from './messages.ts'
import { type ProjectFiles, projectOf, settingsOfRoute, writeProject } from './project.ts'
import { findRecorded, matchExchange, RecordedState } from './recorded-state.ts'
import { withoutTemplates } from './schema-of.ts'

export interface InferredProject {
  readonly files: ProjectFiles
  readonly contract?: Contract
  /** The mistakes in the contract. */
  readonly mistakes?: Diagnostics
}

interface InferredPlace {
  /** Is empty, and beside the folder that the project will be in. */
  readonly folder: string
  readonly home: string
  /** The contract, absolute; it is compared with the replies. Without one, theirs is made. */
  readonly given: string | undefined
  readonly wings: readonly LoadWing[]
}

/** Makes the files of a project, with the records that are inferred from its contract. */
export async function inferredProject(
  imported: Imported,
  { folder, home, given, wings }: InferredPlace,
  report: Diagnostics,
): Promise<InferredProject> {
  const files = new Map(given === undefined ? projectOf(imported).files : [])
  writeProject(folder, files)
  const file = given ?? join(folder, 'openapi.yaml')
  const { contract, report: mistakes } = loadContract(file, home, { wings })
  if (contract === undefined) {
    for (const one of mistakes.unsorted) report.add(one)
    return { files }
  }
  const { plan } = await inferGateway(contract, { file, home: folder, house: houseWith(wings) })
  const { resources = {}, operations = {} } = plan.simulation.file
  const exchanges = exchangesIn(imported).sort((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method))
  if (given !== undefined) compareImport(exchanges, plan, report)
  const state = new RecordedState(plan)
  /** The cases of each operation, with the parts of their requests that tell them apart. */
  const shown = new Map<string, ImportedCase[]>()
  for (const exchange of exchanges) {
    const matched = matchExchange(exchange, plan)
    if (matched === undefined) continue
    const { given: values, planned } = matched
    const when = requestConditions(values, exchange.query, jsonOfMessage(exchange.request))
    getOrMake(shown, planned.operation.id, (): ImportedCase[] => []).push({ ...exchange.from, when })
    if (exchange.reply.status < 300) state.add(matched)
  }
  const seeded = mapValues(resources, (block, name) => {
    const records = state.records(name)
    const { before = [] } = records ?? {}
    if (records === undefined || before.length === 0) return block
    return { ...records.describe(block), seed: `./${addFixture(files, name, before)}` }
  })
  const own: Record<string, unknown> = mapValues(operations, ({ respond, ...one }, id) => ({
    ...one,
    respond: isObject(respond) ? state.respond(id, respond as RespondConfig) : respond,
  }))
  for (const route of imported.routes) {
    const { method, path, cases } = route
    const operation = findRecorded(method, path.replace(/\{[^}]*\}/g, '1'), plan)?.target.planned.operation
    if (operation === undefined) {
      const place = cases[0]?.place ?? route.place
      const what = `the contract has no operation for ${method} ${path}`
      if (place !== undefined) report.warning('not-imported', what, place, 'add it to the contract')
    } else if (operations[operation.id] === undefined) {
      const rules = imported.hasExamples ? rulesOf(shown.get(operation.id) ?? []) : cases
      if (given === undefined && rules.length > 1) put(own, operation.id, { rules: rules.flatMap(exampleRule) })
      else if (given !== undefined && rules.length > 0)
        put(
          own,
          operation.id,
          renamed(
            settingsOfRoute({ ...route, cases: imported.hasExamples ? rules.map(plainCase) : rules }, files),
            path,
            operation.path,
          ),
        )
    }
  }
  const fitted = given === undefined ? imported.settings : withSchemesOf(contract, imported, report)
  const settings = {
    contract: referenceTo(folder, file),
    ...fitted,
    resources: seeded,
    operations: own,
  }
  files.set('gateway.yaml', writeYaml(withoutEmpty(settings) as Json))
  return { files, contract, mistakes }
}

/** Names the schemes of consumers as a contract that was there does. */
function withSchemesOf({ securitySchemes, files }: Contract, imported: Imported, report: Diagnostics): JsonObject {
  const names = Object.entries(imported.schemes ?? {}).flatMap(([id, wanted]): [string, string][] => {
    const { scheme, in: place = 'authorization', name = scheme } = wanted as Readonly<Record<string, string>>
    for (const [known, one] of securitySchemes) {
      const own = 'word' in one ? one.word : 'name' in one ? one.name : undefined
      if (one.in === place && own?.toLowerCase() === name?.toLowerCase()) return [[id, known]]
    }
    const what = `the contract has no security scheme for "${id}"`
    report.warning('not-imported', what, placeOfFile(files[0] ?? ''), 'add it, and a consumer')
    return []
  })
  const { consumers = {}, ...others } = imported.settings as { readonly consumers?: Record<string, JsonObject> }
  const own = mapValues(consumers, one =>
    Object.fromEntries(names.flatMap(([id, known]) => (id in one ? [[known, one[id]]] : []))),
  )
  return { ...others, consumers: withoutEmpty(own) } as JsonObject
}

/** A case of an example, whose texts are no templates, as the case of a rule. */
const plainCase = (one: ImportedCase): ImportedCase =>
  one.body === undefined || one.body instanceof ImportedFile ? one : { ...one, body: jsonOf(stringifyJson(one.body)) }

/** The cases whose requests differ from that of the usual one, which succeeds and is the last. */
function rulesOf(cases: readonly ImportedCase[]): ImportedCase[] {
  const usual = cases.find(({ status }) => status < 300) ?? cases[0]
  if (usual === undefined) return []
  const others = cases.map(one => ({ ...one, when: one.when.filter(condition => !usual.when.includes(condition)) }))
  return [...others.filter(({ when, name }) => when.length > 0 && name !== usual.name), { ...usual, when: [] }]
}

const exampleRule = ({ when, body, status, name }: ImportedCase): JsonObject[] =>
  when.length === 0
    ? []
    : [{ when: allOf(when), respond: (body === undefined ? { status } : { example: name }) as JsonObject }]

/** A request that a source names, and its reply. */
interface ImportedExchange extends RecordedExchange {
  readonly from: ImportedCase
  /** Whether some values are drawn, so that only the types of values are known. */
  readonly isDrawn: boolean
}

/** The records of each collection that are read to try it: the others are as these. */
const MOST_TRIED = 1000

/** A template whose value has a known type. */
const DRAWN = /\$\{(?:int\(draw\(|draw\(|uuid\(|string\(now)[^}]*\}/g

/** The requests that a source names, and the reads of its records. The value of a template is not known. */
export function exchangesIn({ routes, records, hasExamples = false }: Imported): ImportedExchange[] {
  const reads = records.map(({ path, idField, isMade = false, place, records: all }) => {
    const cases = (isMade ? [] : all.slice(0, MOST_TRIED)).map((body): ImportedCase => {
      const trial = { path: encodeURI(idField === '' ? path : `${path}/${body[idField]}`), query: '', headers: {} }
      return { ...{ name: '', place, when: [], headers: {}, status: 200, type: 'application/json', body, trial } }
    })
    return { method: 'GET', cases }
  })
  return [...reads, ...routes].flatMap(({ method, cases }) =>
    cases.flatMap((from): ImportedExchange[] => {
      const { place, trial, settings, status, headers, type, body } = from
      if (trial === undefined || settings?.respond !== undefined || settings?.fault !== undefined) return []
      const isFile = body instanceof ImportedFile
      const isText = typeof body === 'string' && (hasExamples || !/json/.test(type ?? ''))
      const text = isFile || body === undefined || isText ? body : stringifyJson(approximate(body))
      const escaped = hasExamples || typeof text !== 'string' ? '' : text.replace(/\$\{\\?"(\$\{|\{\{)\\?"\}/g, '\0$1')
      const isPartial = body === undefined || /(?<!\0)\$\{/.test(escaped)
      const isDrawn = isPartial && isObject(body) && !isFile && !/(?<!\0)\$\{/.test(escaped.replace(DRAWN, ''))
      const isUnknown = isPartial && !isDrawn
      const written = escaped === '' ? (text as string | undefined) : escaped.replaceAll('\0', '')
      const known = isFile ? body.bytes : written
      const usual = text === body ? undefined : 'application/json'
      return [
        {
          from,
          place,
          isDrawn,
          at: 0,
          latency: 0,
          method,
          origin: '',
          initiator: undefined,
          // Any value fits a parameter that is left.
          path: trial.path.replace(/\{[^}]*\}/g, '1'),
          query: trial.query,
          request: {
            headers: withType(trial.headers, trial.body && 'application/json'),
            body: trial.body,
            isPartial: false,
          },
          reply: {
            status,
            headers: withType(headers, type ?? usual),
            body: isUnknown ? undefined : isDrawn ? stringifyJson(withoutTemplates(body as Json)) : known,
            isPartial: isUnknown,
          },
        },
      ]
    }),
  )
}

/** The order in which methods are played: records are there before requests change them. */
const ORDER = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE']

/** Reports the replies that break a contract. */
function compareImport(exchanges: readonly RecordedExchange[], plan: Plan, report: Diagnostics): void {
  for (const { method, path, query, place, request, reply } of exchanges) {
    const operation = findRecorded(method, path, plan)?.target.planned.operation
    if (operation === undefined || reply.isPartial) continue
    const sent = inProcess({ method, path, query, headers: request.headers, body: request.body as string | undefined })
    for (const one of differencesOf(operation, sent, reply, plan.contract)) {
      const what = `this reply breaks ${operation.id}: ${one.where || 'it'} is ${one.upstream}; in the contract: ${one.contract}`
      report.warning('not-imported', what, place, 'correct one of them')
    }
  }
}
