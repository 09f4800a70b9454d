// The state of a gateway in an engine: what the log of worlds needs of the gateway.

import type { Engine } from '../state/engines/engine.ts'
import type { Misfits, StateHost } from '../state/host.ts'
import type { StateSettings } from '../state/settings.ts'
import { State } from '../state/state.ts'
import type { Surroundings } from '../state/surroundings.ts'
import type { World } from '../world/world.ts'
import type { Gateway } from './gateway.ts'
import type { Log } from './log.ts'
import { StateMeter } from './metrics/state-meter.ts'
import { recordFaults } from './record-faults.ts'

/** Returns the state of a gateway, which is to be opened. */
export function createState(
  gateway: Gateway,
  engine: Engine,
  settings: StateSettings,
  around: Surroundings,
  log: Log,
): State {
  const { worlds, weather, answers, journal, requests, metrics } = gateway
  const meter = new StateMeter()
  const host: StateHost = {
    log,
    meter,
    worlds,
    weather: {
      keepBy: weather.keepBy.bind(weather),
      dump: weather.dump.bind(weather),
      restore: (world, order) => weather.restore(gateway.plan, world, order),
    },
    answers: {
      keepBy: answers.keepBy.bind(answers),
      dump: answers.dump.bind(answers),
      restore: (world, id, state) => void answers.restore(gateway.plan, world, id, state),
    },
    get idle() {
      return gateway.plan.simulation.worlds.idle
    },
    forgetRequests: world => journal.clear(world),
    shareRequests: (shared, place) => requests.share(shared, place),
    configure: text => gateway.configure(text),
    seedsOf(collection) {
      const { seed } = gateway.plan.simulation.file.resources?.[collection] ?? {}
      return typeof seed === 'string' ? seed : `the seeds of ${collection}`
    },
    misfitsIn: world => misfitsIn(world, gateway),
  }
  const state = new State(host, engine, settings, around)
  metrics.followState(meter, state)
  return state
}

async function misfitsIn(world: World, { plan }: Gateway): Promise<readonly Misfits[]> {
  const all: Misfits[] = []
  for (const [collection, { resource }] of plan.collections) {
    const { records } = await world.collection(collection).dump()
    const faults = records.flatMap(record => {
      const [fault] = recordFaults(record, resource)
      return fault === undefined ? [] : [`${record[resource.idField]}${fault}`]
    })
    const [first] = faults
    if (first !== undefined) all.push({ collection, count: faults.length, first })
  }
  return all
}
