// Metrics of the worlds: their number, their records and memory, and their queues.

import { Counter, Gauge, type Registry } from 'prom-client'
import { EVICTIONS } from '../../world/sandboxes.ts'
import { Servers } from '../../world/servers.ts'
import type { Worlds } from '../worlds/worlds.ts'

/** Adds the queue lengths of all worlds together, by the path of the capacity in the configuration. */
export function registerCapacities(worlds: Worlds, registers: Registry[]): void {
  const sum = (of: (servers: Servers) => number) =>
    function collect(this: Gauge<'capacity'>) {
      this.reset()
      for (const world of worlds.list()) {
        for (const [key, servers] of world.kept(Servers))
          this.inc({ capacity: key.replace('capacity ', '') }, of(servers))
      }
    }
  const labelNames = ['capacity'] as const
  new Gauge({
    name: 'understudy_queue_length',
    help: 'Requests that wait in the queue of a capacity.',
    labelNames,
    registers,
    collect: sum(({ waiting }) => waiting),
  })
  new Gauge({
    name: 'understudy_busy_servers',
    help: 'Servers of a capacity that are busy.',
    labelNames,
    registers,
    collect: sum(({ busy }) => busy),
  })
}

/** Adds the numbers of the worlds. Clients choose the names of sandboxes, so these are not labels: sandboxes are counted together. */
export function registerWorlds(worlds: Worlds, registers: Registry[]): void {
  new Gauge({
    name: 'understudy_collection_records',
    help: 'Records in a collection of a permanent world.',
    labelNames: ['world', 'collection'],
    registers,
    collect() {
      this.reset()
      for (const { name: world, collections } of worlds.list()) {
        if (!worlds.isPermanent(world)) continue
        for (const [collection, { size }] of collections) this.set({ world, collection }, size)
      }
    },
  })
  new Gauge({
    name: 'understudy_worlds',
    aggregator: 'max',
    help: 'Number of worlds.',
    labelNames: ['kind'],
    registers,
    collect() {
      const all = worlds.list()
      const permanent = all.filter(({ name }) => worlds.isPermanent(name)).length
      this.set({ kind: 'permanent' }, permanent)
      this.set({ kind: 'sandbox' }, all.length - permanent)
    },
  })
  new Gauge({
    name: 'understudy_world_bytes',
    help: 'Estimated bytes of the records in all worlds, by the world that wrote them; shared records count once.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const { kind, bytes } of worlds.memory.bytes) this.set({ kind }, bytes)
    },
  })
  new Gauge({
    name: 'understudy_world_bytes_max',
    help: 'Limit of the bytes of the records in all worlds together.',
    registers,
    collect() {
      this.set(worlds.memory.maxBytes)
    },
  })
  new Counter({
    name: 'understudy_sandbox_evictions_total',
    help: 'Removed sandboxes, by reason: too many (capacity), unused (idle), memory needed (memory).',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const reason of EVICTIONS) this.inc({ reason }, worlds.memory.evictions[reason])
    },
  })
}
