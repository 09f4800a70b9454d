// The routes of the records of a world, which are validated by the contract, and of the resources that they belong to.

import type { Resource } from '../../behaviours/resource.ts'
import {
  createRecord as createRecordIn,
  putRecord as putRecordIn,
  type Records,
  readRecord,
  recordsOf,
  removeRecord,
} from '../../gateway/edit-records.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { faultsOf } from '../../gateway/record-faults.ts'
import { refusedRecord, withHint } from '../../gateway/refused.ts'
import type { Worlds } from '../../gateway/worlds/worlds.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { describeStatesOf } from '../../plan/describe.ts'
import type { SortOrder } from '../../world/records/types.ts'
import { excessOf, LONGEST_SEARCH } from '../../world/records/values.ts'
import { badRequest, type ControlReply, DONE, done, json, missing } from './replies.ts'
import {
  anyObject,
  type Call,
  type Control,
  type ControlRoute,
  described,
  inMadeWorld,
  inWorld,
  list,
  natural,
  object,
  type PlainRoute,
  positive,
  problemWith,
  replyWith,
  shape,
  string,
  under,
  type WorldRoute,
} from './route.ts'

const collectionParameter = { collection: described('A resource.') } as const
const recordIdParameter = { id: described('The id of a record.') } as const
const nowhere = { 404: 'The world, the collection or the record does not exist.' } as const
const nowhereNew = { 404: 'The collection or the record does not exist.' } as const
const record = described('A record, as its schema in the contract has it.', anyObject)
const MAX_RECORDS_BODY = 64_000_000

const faultSchema = object({
  pointer: described('A JSON Pointer to the field; empty for the whole.'),
  message: string,
})
/** The declaration of `refusedRecord`. */
const invalidRecord = {
  422: problemWith('The request breaks the contract; nothing was changed.', {
    errors: described('The first 20.', list(faultSchema)),
  }),
}

/** A route of a collection of a world. */
interface CollectionRoute extends Omit<PlainRoute, 'handle'> {
  handle(records: Records, call: Call): Promise<ControlReply>
}

export const recordRoutes = ({ gateway }: Control): ControlRoute[] => {
  const { worlds } = gateway
  const reading = (route: CollectionRoute) => inWorld(worlds, withCollection(worlds, route))
  const changing = (route: CollectionRoute) => inMadeWorld(worlds, withCollection(worlds, route))
  return [
    ...under('shared', {
      listCollections: inWorld(worlds, listCollections(worlds)),
      listRecords: reading(listRecords),
      createRecord: changing(createRecord),
      putRecords: changing(putRecords),
      deleteRecords: changing(deleteRecords),
      getRecord: reading(getRecord),
      putRecord: changing(putRecord),
      deleteRecord: changing(deleteRecord),
    }),
    ...under('absent', { getResource: getResource(gateway) }),
  ]
}

/** Hands the collection in the path to a route, and refuses one that does not exist. */
const withCollection = (worlds: Worlds, { handle, parameters, ...route }: CollectionRoute): WorldRoute => ({
  ...route,
  parameters: { ...collectionParameter, ...parameters },
  handle: (world, call) => handle(recordsOf(worlds, world, call.parameters.collection as string), call),
})

const listCollections = (worlds: Worlds): WorldRoute => ({
  at: 'GET /worlds/{name}/collections',
  summary: 'The collections of a world.',
  replies: {
    200: replyWith('Each with the number of its records.', list(object({ name: string, records: natural }))),
  },
  handle: ({ name, collections }) => {
    // A reload may have removed others, which may still have records.
    const names = [...worlds.planOf(name).collections.keys()]
    return json(names.map(name => ({ name, records: collections.get(name)?.size ?? 0 })))
  },
})

const listRecords: CollectionRoute = {
  at: 'GET /worlds/{name}/collections/{collection}',
  summary:
    'The records of a collection, in the order of their ids unless they are sorted; the header X-Total-Count says how many match. Over the real API (`base`), those that the world changed: `{upstream}` is the record as the real API had it, `{deleted}` says that the world has deleted it.',
  parameters: {
    q: described('Words to search for in the texts of the records, case-insensitively.', {
      ...string,
      maxLength: LONGEST_SEARCH,
    }),
    sort: described('A list of fields, each with `-` before it for descending: `-price,name`.', {
      ...string,
      maxLength: 1000,
    }),
    limit: described('Default: 100.', { ...positive, maximum: 100_000 }),
    offset: described('The number of records to skip. Default: 0.', natural),
  },
  replies: { 200: replyWith('Records.', list(record)), ...nowhere },
  handle: async ({ collection, resource }, { parameters: { limit = 100, offset = 0, q, sort } }) => {
    const order = sort === undefined ? undefined : readSort(sort as string, resource)
    if (typeof order === 'string') return badRequest(order)
    const search = typeof q === 'string' && q.trim() !== '' ? q : undefined
    const excess = excessOf(search)
    if (excess !== undefined) return badRequest(`q ${excess}`)
    const page = await collection.list({
      filters: [],
      limit: limit as number,
      offset: offset as number,
      search,
      sort: order,
      count: true,
    })
    const headers = { 'x-total-count': `${page.total ?? collection.size}` }
    return { status: 200, type: 'application/json', headers, body: page.text }
  },
}

const createRecord: CollectionRoute = {
  at: 'POST /worlds/{name}/collections/{collection}',
  summary: 'Stores a record under a new id, or under its id if clients assign ids.',
  body: { description: 'The record.', schema: record, decimals: true },
  replies: {
    201: replyWith('The record was created.', record),
    ...nowhereNew,
    409: 'There is a record of that id; or no such world, and sandboxes are off.',
    ...invalidRecord,
  },
  handle: async (records, { body }) => json((await createRecordIn(records, body as JsonObject)).text, 201),
}

const putRecords: CollectionRoute = {
  at: 'PUT /worlds/{name}/collections/{collection}',
  summary: 'Replaces all records, if every new one is valid; otherwise nothing is changed.',
  body: { description: 'Records.', schema: list(record), maxBytes: MAX_RECORDS_BODY, decimals: true },
  replies: { ...done, ...nowhereNew, ...invalidRecord },
  handle: async ({ collection, resource }, { body }) => {
    const records = body as readonly JsonObject[]
    const faults = faultsOf({ records }, resource)
    if (faults.length > 0) throw refusedRecord(faults.map(fault => fault.replace(/^\/records/, '')))
    await collection.load({ records })
    return DONE
  },
}

const deleteRecords: CollectionRoute = {
  at: 'DELETE /worlds/{name}/collections/{collection}',
  summary: 'Empties a collection, its seeds included.',
  replies: { ...done, ...nowhereNew },
  handle: async ({ collection }) => {
    await collection.load({ ...(await collection.dump()), records: [], created: [] })
    return DONE
  },
}

const getRecord: CollectionRoute = {
  at: 'GET /worlds/{name}/collections/{collection}/{id}',
  summary: 'One record.',
  parameters: recordIdParameter,
  replies: { 200: replyWith('The record.', record), ...nowhere },
  handle: async (records, { parameters }) => json((await readRecord(records, parameters.id as string)).text),
}

const putRecord: CollectionRoute = {
  at: 'PUT /worlds/{name}/collections/{collection}/{id}',
  summary: 'Creates or replaces the record with an id.',
  parameters: recordIdParameter,
  body: { description: 'The record; its id may be left out.', schema: record, decimals: true },
  replies: {
    200: replyWith('The record was replaced.', record),
    201: replyWith('The record was created.', record),
    ...nowhereNew,
    ...invalidRecord,
  },
  handle: async (records, { parameters, body }) => {
    const { entry, created } = await putRecordIn(records, parameters.id as string, body as JsonObject)
    return json(entry.text, created ? 201 : 200)
  },
}

const deleteRecord: CollectionRoute = {
  at: 'DELETE /worlds/{name}/collections/{collection}/{id}',
  summary: 'Deletes a record. Over the real API (`base`), the world forgets its change.',
  parameters: recordIdParameter,
  replies: { ...done, ...nowhereNew },
  handle: async (records, { parameters }) => {
    await removeRecord(records, parameters.id as string)
    return DONE
  },
}

const getResource = (gateway: Gateway): PlainRoute => ({
  at: 'GET /resources/{resource}',
  summary: 'A resource: the schema of its records, and how they get their ids.',
  parameters: { resource: described('Its name.') },
  replies: {
    200: replyWith('The resource.', shape('ResourceForm')),
    404: 'The resource does not exist.',
  },
  handle: ({ parameters }) => {
    const { plan } = gateway
    const name = parameters.resource as string
    const resource = plan.collections.get(name)?.resource
    if (resource === undefined) return missing('resource', name, plan.collections.keys())
    const { idField, ids, assign, references, schema, source } = resource
    return json({
      name,
      idField,
      ids,
      assigned: assign,
      references: Object.fromEntries([...references].map(([field, { to }]) => [field, to])),
      states: describeStatesOf(name, plan),
      base: source?.name,
      schema: schema.selfContained,
    })
  },
})

/** Reads `-price,name`; returns a sentence about a field that no record has. */
function readSort(text: string, { schema: { shape } }: Resource): SortOrder[] | string {
  const order = text.split(',').map(item => ({ field: item.replace(/^[-+]/, ''), descending: item.startsWith('-') }))
  const unknown = order.find(({ field }) => !shape.open && !shape.properties.has(field))
  if (unknown === undefined) return order
  return withHint(`records have no field "${unknown.field}"`, unknown.field, shape.properties.keys())
}
