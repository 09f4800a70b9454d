// The project of saved replies: a contract that has them as examples, with the records that can be inferred from it.

import { join } from 'node:path'
import { recordMistakes } from '../../behaviours/resource.ts'
import { pathOfPlaceholder, recordPath } from '../../behaviours/respond/shape.ts'
import { writeYaml } from '../../kernel/file/yaml-tree.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  mapValues,
  memberAt,
  parseJson,
  put,
  stringifyJson,
} from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { Plan } from '../../plan/plan.ts'
import type { SimulationFile } from '../../plan/simulation-file.ts'
import { idIn } from '../../world/records/values.ts'
import { inferGateway } from '../infer/infer.ts'
import { loadContract } from '../load.ts'
import { respondBlock } from '../seed/seed.ts'
import { celText, type Imported, type ImportedCase, type ImportedRoute, memberConditions, partOf } from './imported.ts'
import { type ProjectFiles, projectOf, writeProject } from './project.ts'

/**
 * Makes the files of a project.
 *
 * @param folder is empty, and beside the one that the project will be in
 */
export async function exampleProject(imported: Imported, folder: string, home: string): Promise<ProjectFiles> {
  const files = new Map(projectOf(imported))
  writeProject(folder, files, true)
  const file = join(folder, 'openapi.yaml')
  const read = loadContract(file, home).contract
  if (read === undefined) return files
  const { plan } = await inferGateway(read, file, folder)
  const { resources = {}, operations = {} } = plan.simulation.file
  const seeds = recordsIn(imported, plan)
  const seeded = mapValues(resources, (block, name) => {
    const records = seeds.get(name)
    if (records === undefined) return block
    files.set(`fixtures/${name}.yaml`, writeYaml(records))
    return { ...block, seed: `./fixtures/${name}.yaml` }
  })
  const own: Record<string, unknown> = { ...operations }
  for (const route of imported.routes) {
    const { operation } = plan.find(route.method, route.path)?.target.planned ?? {}
    if (operation === undefined || operations[operation.id] !== undefined) continue
    const rules = rulesOf(route)
    if (rules.length > 0) put(own, operation.id, { rules })
  }
  const settings = { contract: './openapi.yaml', ...imported.settings, resources: seeded, operations: own }
  files.set('gateway.yaml', writeYaml(withoutEmpty(settings) as Json))
  return files
}

const withoutEmpty = (settings: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(settings).filter(([, one]) => !isObject(one) || Object.keys(one).length > 0))

/** The reply to a request that says nothing else: the first that succeeded. */
const usualCase = (cases: readonly ImportedCase[]): ImportedCase | undefined =>
  cases.find(({ status }) => status < 300) ?? cases[0]

/** A rule for each case whose request differs from the usual one. */
function rulesOf({ cases, path }: ImportedRoute): JsonObject[] {
  const usual = usualCase(cases)
  const known = new Set(usual && requestConditions(usual, path))
  return cases.flatMap(one => {
    const when = one === usual ? [] : requestConditions(one, path).filter(condition => !known.has(condition))
    const respond: JsonObject = one.body === undefined ? { status: one.status } : { example: one.name }
    return when.length === 0 ? [] : [{ when: when.join(' && '), respond }]
  })
}

/** The parts of a request that tell a case from others of its operation. */
function requestConditions({ trial }: ImportedCase, path: string): string[] {
  const { query = '', body = '' } = trial ?? {}
  const values = (trial?.path ?? '').split('/')
  const names = path.split('/').map(segment => /^\{(.*)\}$/.exec(segment)?.[1])
  const sent = parseJson(body)
  return [
    ...names.flatMap((name, i) =>
      name === undefined
        ? []
        : [`string(${partOf('params', name)}) == ${celText(decodeURIComponent(values[i] ?? ''))}`],
    ),
    ...[...new URLSearchParams(query)].map(([name, value]) => `string(${partOf('query', name)}) == ${celText(value)}`),
    ...('value' in sent && isObject(sent.value) ? memberConditions(sent.value as JsonObject, 'request.body') : []),
  ]
}

/** The records that the saved replies show, by the name of their resource. */
function recordsIn({ routes }: Imported, plan: Plan): ReadonlyMap<string, readonly JsonObject[]> {
  const found = new Map<string, Map<string, JsonObject>>()
  const shown = routes.flatMap(({ method, path, cases }) => {
    const { operation } = plan.find(method, path)?.target.planned ?? {}
    const respond = operation && respondBlock(operation, plan.simulation.file as SimulationFile)
    if (respond === undefined || method === 'POST') return []
    return cases.filter(({ status }) => status < 300).map(({ body }) => ({ respond, body }))
  })
  for (const { respond, body } of shown) {
    const name = respond.list ?? respond.read ?? respond.replace ?? respond.update ?? ''
    const idField = plan.collections.get(name)?.resource.idField
    const at = memberAt(body, pathOfPlaceholder(respond.body, 'page.items'))
    const items = respond.list === undefined ? [memberAt(body, recordPath(respond.body))] : Array.isArray(at) ? at : []
    for (const item of items) {
      const record = respond.list === undefined ? item : memberAt(item, recordPath(respond.item))
      const id = isObject(record) && idField !== undefined ? idIn(idField, record as JsonObject) : undefined
      if (id === undefined) continue
      const records = getOrMake(found, name, () => new Map<string, JsonObject>())
      records.set(stringifyJson(id), { ...(record as JsonObject), ...records.get(stringifyJson(id)) })
    }
  }
  return new Map(
    [...found].flatMap(([name, records]) => {
      const { resource } = plan.collections.get(name) ?? {}
      const fitting = [...records.values()].filter(one => resource && recordMistakes(resource, one) === undefined)
      return fitting.length === 0 ? [] : [[name, fitting] as const]
    }),
  )
}
