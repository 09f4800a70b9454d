// Fields that refer to records name existing ones, and pairs of times are in order: in seeds, created records and generated replies.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveInferred } from './serve-inferred.ts'

const ok = (schema: string, status = 200) =>
  `responses: { '${status}': { description: ok, content: { application/json: { schema: ${schema} } } } }`
const TRAIN = `
openapi: 3.0.3
info: { title: Trips, version: '1' }
paths:
  /stations:
    get: { operationId: listStations, ${ok(`{ type: array, items: { $ref: '#/components/schemas/Station' } }`)} }
  /stations/{stationId}:
    get: { operationId: getStation, parameters: [{ name: stationId, in: path, required: true, schema: { type: string } }], ${ok(`{ $ref: '#/components/schemas/Station' }`)} }
  /trips:
    get: { operationId: listTrips, ${ok(`{ type: array, items: { $ref: '#/components/schemas/Trip' } }`)} }
    post: { operationId: createTrip, requestBody: { required: true, content: { application/json: { schema: { type: object, required: [name], properties: { name: { type: string }, departure_time: { type: string, format: date-time } } } } } }, ${ok(`{ $ref: '#/components/schemas/Trip' }`, 201)} }
  /plan:
    post: { operationId: plan, requestBody: { required: true, content: { application/json: { schema: { type: object, properties: { departure_time: { type: string, format: date-time } } } } } }, ${ok(`{ type: object, required: [legs], properties: { departure_time: { type: string, format: date-time }, arrival_time: { type: string, format: date-time }, legs: { type: array, items: { type: object, required: [stationId, external_station_id], properties: { stationId: { type: string }, external_station_id: { type: string } } } } } }`)} }
components:
  schemas:
    Station: { type: object, required: [id, name], properties: { id: { type: string }, name: { type: string } } }
    Trip:
      type: object
      required: [id, name, stationId, origin_station_id, destinationStationId, stationIds, station, departure_time, arrival_time]
      properties:
        id: { type: integer }
        name: { type: string }
        stationId: { type: string }
        origin_station_id: { type: string }
        destinationStationId: { type: string }
        stationIds: { type: array, minItems: 1, items: { type: string } }
        station: { $ref: '#/components/schemas/Station' }
        departure_time: { type: string, format: date-time }
        arrival_time: { type: string, format: date-time }
`

type Row = Readonly<Record<string, unknown>>

test('references by other names name existing records, in seeds and created records', async () => {
  const send = await serveInferred(TRAIN)
  const stations = (await send('GET /stations')).body as readonly Row[]
  const ids = stations.map(({ id }) => id)
  const created = await send('POST /trips', { name: 'x' })
  assert.equal(created.status, 201)
  const trips = (await send('GET /trips')).body as readonly Row[]
  assert.equal(trips.length, 6)
  assert.deepEqual(trips.at(-1), created.body)
  for (const trip of trips) {
    const named = [trip.stationId, trip.origin_station_id, trip.destinationStationId, ...(trip.stationIds as unknown[])]
    assert.deepEqual([named.length > 3, named.filter(id => !ids.includes(id))], [true, []])
    assert.notEqual(trip.origin_station_id, trip.destinationStationId)
    assert.deepEqual(
      trip.station,
      stations.find(({ id }) => id === trip.stationId),
    )
  }
})

test('generated replies refer to existing records, but not by ids of other systems', async () => {
  const send = await serveInferred(TRAIN)
  const ids = ((await send('GET /stations')).body as readonly Row[]).map(({ id }) => id)
  const { legs } = (await send('POST /plan', {})).body as { readonly legs: readonly Row[] }
  assert.ok(legs.length > 0)
  assert.ok(legs.every(({ stationId }) => ids.includes(stationId)))
  assert.ok(legs.every(leg => !ids.includes(leg.external_station_id)))
})

test('a time that is made is in order with the one that was sent', async () => {
  const send = await serveInferred(TRAIN)
  for (const departure_time of ['2001-01-01T00:00:00Z', '2099-01-01T00:00:00Z']) {
    for (const [path, body] of [
      ['/trips', { name: 'x', departure_time }] as const,
      ['/plan', { departure_time }] as const,
    ]) {
      const made = (await send(`POST ${path}`, body)).body as Row
      assert.equal(made.departure_time, departure_time)
      assert.ok(String(made.arrival_time) >= departure_time, `${path}: ${made.arrival_time}`)
    }
  }
  const trip = (await send('POST /trips', { name: 'x' })).body as Row
  assert.ok(String(trip.arrival_time) >= String(trip.departure_time))
})
