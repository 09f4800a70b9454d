// The project whose records are inferred: from a contract with saved replies as examples, or from a contract that was there.

import { join, relative } from 'node:path'
import type { RespondConfig } from '../../behaviours/respond/config.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { writeYaml } from '../../kernel/file/yaml-tree.ts'
import { isObject, type Json, type JsonObject, mapValues, parseJson, put, stringifyJson } from '../../kernel/json.ts'
import type { Plan } from '../../plan/plan.ts'
import { differencesOf } from '../compare/differences.ts'
import { inferGateway } from '../infer/infer.ts'
import { loadContract } from '../load.ts'
import { inProcess } from '../probe/probe.ts'
import { createRecordedState, findRecorded, matchExchange } from '../record/recorded-state.ts'
import { jsonOf } from './handlebars.ts'
import type { RecordedExchange } from './har.ts'
import {
  type Imported,
  type ImportedCase,
  ImportedFile,
  type ImportedRecords,
  type ImportedRoute,
  type ImportedTrial,
  renamed,
  requestConditions,
} from './imported.ts'
import { type ProjectFiles, projectOf, settingsOfRoute, writeProject } from './project.ts'

/**
 * Makes the files of a project, with the records that are inferred from its contract.
 *
 * @param folder is empty, and beside the one that the project will be in
 * @param given the contract, absolute; it is compared with the replies. Without one, theirs is made
 */
export async function inferredProject(
  imported: Imported,
  { folder, home, given }: { readonly folder: string; readonly home: string; readonly given: string | undefined },
  report: Diagnostics,
): Promise<ProjectFiles> {
  const files = new Map(given === undefined ? projectOf(imported) : [])
  writeProject(folder, files, true)
  const file = given ?? join(folder, 'openapi.yaml')
  const { contract, report: mistakes } = loadContract(file, home)
  if (contract === undefined) {
    for (const one of mistakes.unsorted) report.add(one)
    return files
  }
  const { plan } = await inferGateway(contract, file, folder)
  const { resources = {}, operations = {} } = plan.simulation.file
  const exchanges = exchangesOfImport(imported)
  if (given !== undefined) compareImport(exchanges, plan, report)
  const state = createRecordedState(plan)
  for (const exchange of exchanges) {
    const matched = matchExchange(exchange, plan)
    // Records that a request creates are not there yet.
    if (matched !== undefined && !/^(?:POST|DELETE)$/.test(exchange.method) && exchange.reply.status < 300)
      state.add(matched)
  }
  const seeded = mapValues(resources, (block, name) => {
    const records = state.recordsOf(name)?.now ?? []
    if (records.length === 0) return block
    files.set(`fixtures/${name}.yaml`, writeYaml(records))
    return { ...state.describe(name, block), seed: `./fixtures/${name}.yaml` }
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
      const rules = imported.hasExamples ? rulesOf(route) : cases
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
  const reference = relative(folder, file)
  const settings = {
    contract: reference.startsWith('.') ? reference : `./${reference}`,
    ...{ ...imported.settings, resources: seeded, operations: own },
  }
  files.set('gateway.yaml', writeYaml(withoutEmpty(settings) as Json))
  return files
}

/** A case of an example, whose texts are no templates, as the case of a rule. */
const plainCase = (one: ImportedCase): ImportedCase =>
  one.body === undefined || one.body instanceof ImportedFile ? one : { ...one, body: jsonOf(stringifyJson(one.body)) }

const withoutEmpty = (settings: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(settings).filter(([, one]) => !isObject(one) || Object.keys(one).length > 0))

/** The reply to a request that says nothing else: the first that succeeded. */
const usualCase = (cases: readonly ImportedCase[]): ImportedCase | undefined =>
  cases.find(({ status }) => status < 300) ?? cases[0]

/** The cases whose requests differ from that of the usual one, which is the last. */
function rulesOf({ cases, path }: ImportedRoute): ImportedCase[] {
  const usual = usualCase(cases)
  if (usual === undefined) return []
  const known = new Set(trialConditions(usual, path))
  const others = cases
    .map(one => ({ ...one, when: trialConditions(one, path).filter(condition => !known.has(condition)) }))
    .filter(({ when, name }) => when.length > 0 && name !== usual.name)
  return [...others, usual]
}

const exampleRule = ({ when, body, status, name }: ImportedCase): JsonObject[] =>
  when.length === 0
    ? []
    : [{ when: when.join(' && '), respond: (body === undefined ? { status } : { example: name }) as JsonObject }]

/** The parts of a request that tell a case from others of its operation. */
function trialConditions({ trial }: ImportedCase, path: string): string[] {
  const { query = '', body = '' } = trial ?? {}
  const values = (trial?.path ?? '').split('/')
  const given = path.split('/').flatMap((segment, i): [string, string][] => {
    const name = /^\{(.*)\}$/.exec(segment)?.[1]
    return name === undefined ? [] : [[name, decodeURIComponent(values[i] ?? '')]]
  })
  const sent = parseJson(body)
  return requestConditions(given, query, 'value' in sent ? sent.value : undefined)
}

/** A case whose request is known. */
interface TriedCase extends Omit<ImportedCase, 'trial'> {
  readonly method: string
  readonly trial: ImportedTrial
}

/** The cases whose requests and replies are known, and the reads of records. */
export function triedCases({ routes, records }: Imported): TriedCase[] {
  const cases = routes.flatMap(({ method, cases: all }) => all.map(one => ({ ...one, method })))
  const isTried = (one: ImportedCase & { readonly method: string }): one is TriedCase =>
    one.trial !== undefined && one.settings?.respond === undefined && one.settings?.fault === undefined
  return [...records.flatMap(readsOf), ...cases.filter(isTried)].map(one => {
    // Any value fits a parameter that is left.
    const path = one.trial.path.replace(/\{[^}]*\}/g, '1')
    return { ...one, trial: { ...one.trial, path } }
  })
}

/** The reads of records, as cases. */
const readsOf = ({ path, idField, records, isMade = false, place }: ImportedRecords): TriedCase[] =>
  (isMade ? [] : records).map(record => {
    const target = encodeURI(idField === '' ? path : `${path}/${record[idField]}`)
    const trial: ImportedTrial = { path: target, query: '', headers: {} }
    return {
      method: 'GET',
      name: '',
      place,
      when: [],
      headers: {},
      status: 200,
      type: 'application/json',
      body: record,
      trial,
    }
  })

/** The order in which methods are played: what one deletes is there again for those after it. */
const ORDER = ['DELETE', 'POST', 'PATCH', 'PUT', 'GET']

/** The exchanges of an import. Bodies with templates are unknown. */
function exchangesOfImport(imported: Imported): RecordedExchange[] {
  return triedCases(imported)
    .sort((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method))
    .map(({ method, trial, place, status, headers, type, body }) => {
      const text = body instanceof ImportedFile || body === undefined ? '' : stringifyJson(body)
      const isPartial = text.includes('${') && imported.hasExamples !== true
      const own = body instanceof ImportedFile ? body.bytes : typeof body === 'string' || !text ? body : text
      return {
        ...{
          place,
          at: 0,
          latency: 0,
          method,
          origin: 'http://localhost',
          path: trial.path,
          query: trial.query,
          initiator: undefined,
        },
        request: {
          headers: withType(trial.headers, trial.body && 'application/json'),
          body: trial.body,
          isPartial: false,
        },
        reply: { status, headers: withType(headers, type), body: isPartial ? undefined : (own as string), isPartial },
      }
    })
}

const withType = (headers: Readonly<Record<string, string>>, type: string | undefined) =>
  type === undefined ? headers : { 'content-type': type, ...headers }

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
