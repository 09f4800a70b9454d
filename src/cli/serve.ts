// `understudy serve`.

import { createLog, LOG_LEVELS, type LogLevel } from '../gateway/log.ts'
import type { Load } from '../gateway/reload.ts'
import { findParents, followParents } from '../http/this-process.ts'
import { isWorker, leave, obey } from '../http/workers/worker.ts'
import type { Loaded } from '../load/load.ts'
import type { Plan } from '../plan/plan.ts'
import type { Simulation } from '../plan/settings.ts'
import { type ServiceOptions, start } from '../start.ts'
import { realClock } from '../world/clock.ts'
import { describeStart, openBrowser } from './banner.ts'
import {
  CONFIGURATIONS,
  type Command,
  type CommandLine,
  load,
  mustBe,
  oneOf,
  type Program,
  port,
  readingOf,
  withPlan,
} from './command.ts'

const EXHAUSTED = 'out of memory; lower worlds.maxBytes, or give Node more: NODE_OPTIONS=--max-old-space-size=4096'

export const serveCommand: Command = {
  about: 'serve the API',
  files: CONFIGURATIONS,
  options: {
    port: { takes: 'N', variable: 'PORT', about: 'port of the API; 0 picks a free one', fault: port },
    host: { takes: 'ADDRESS', variable: 'HOST', about: 'address of the API' },
    'control-port': { takes: 'N', variable: 'CONTROL_PORT', about: 'port of the control plane', fault: port },
    'control-host': {
      takes: 'ADDRESS',
      variable: 'CONTROL_HOST',
      about: 'address of the control plane; beyond loopback it needs a token',
    },
    'log-level': {
      takes: 'LEVEL',
      variable: 'LOG_LEVEL',
      about: `${LOG_LEVELS.join(', ')} (default: info)`,
      fault: oneOf(LOG_LEVELS),
    },
    open: { about: 'open the console in a browser' },
    'no-watch': { about: 'do not reload when a file changes' },
    workers: {
      takes: 'N',
      about: 'serve with N processes, which share state through Redis',
      fault: mustBe('a number of processes', text => /^\d{1,3}$/.test(text) && Number(text) > 0),
    },
    recover: { about: 'drop the damaged line of a state file, and those after it' },
  },
  reads: true,
  run: runServe,
}

/** Loads the configuration, and refuses one that several processes cannot serve. */
class ServedConfiguration {
  readonly #line: CommandLine
  readonly #program: Program
  /** The files that the configuration on the disk named when it was last loaded. */
  #files: readonly string[] = []
  /** Whether several processes serve that share no state; unset before they do. */
  #isApart: boolean | undefined

  constructor(line: CommandLine, program: Program) {
    this.#line = line
    this.#program = program
  }

  async load(): Promise<Loaded> {
    const loaded = await load(this.#line, this.#program)
    this.#files = loaded.files
    return this.#accept(loaded)
  }

  readonly reload: Load = async ({ text, lacking, worlds }) => {
    const loaded = await load(this.#line, this.#program, {
      text,
      lacking,
      worlds: { ...readingOf(this.#line, this.#program.wings).worlds, ...worlds },
      confined: text === undefined ? undefined : this.#files,
    })
    if (text === undefined) this.#files = loaded.files
    return this.#accept(loaded)
  }

  /** Notes that a plan is served from now on. */
  served({ simulation }: Plan): void {
    this.#isApart = simulation.state?.engine.kind !== 'redis'
  }

  #accept(loaded: Loaded): Loaded {
    const { plan, report } = loaded
    if (this.#line.values.workers === undefined || plan === undefined || !sharesState(plan)) return loaded
    const { source, state } = plan.simulation
    const isShared = state?.engine.kind === 'redis'
    if (isShared && this.#isApart !== true) return loaded
    const message = 'several processes (--workers) share records, limits and kept replies through Redis only'
    const hint = isShared ? 'restart the program' : 'serve without --workers, or set state: { redis: … }'
    report.error('shared-state', message, source.locate([]), hint)
    return { ...loaded, plan: undefined }
  }
}

async function runServe(line: CommandLine, program: Program): Promise<number> {
  const { environment, version, print, complain } = program
  const parents = findParents()
  const configuration = new ServedConfiguration(line, program)
  const loaded = await configuration.load()
  return withPlan(loaded, line, program, async plan => {
    configuration.served(plan)
    const log = await createLog((line.values['log-level'] ?? 'info') as LogLevel)
    let stop = () => {}
    let stopped = Promise.resolve()
    const options: ServiceOptions = {
      ...optionsOfService(line, program, plan),
      log,
      // A worker serves before all do: signals must not end the program then.
      opening: reloader => {
        stopped = program.stopped(resolve => {
          stop = resolve
        })
        // Workers reload when the primary does.
        program.onHangup(() => isWorker() || void reloader.reload().catch(() => {}))
      },
    }
    const started = await start(plan, loaded, configuration.reload, options)
    if (isWorker()) obey(started.gateway, started.reloader, stop)
    // Other scripts of npm may leave a server behind on purpose, as in "understudy serve & run-tests".
    else if (environment.npm_lifecycle_event === 'start') followParents(parents, stop)
    if (!isWorker()) print(await describeStart(plan, version, program.wings, started.serving))
    if (line.switches.has('open') && !isWorker()) {
      const fail = (url: string) => complain(`understudy: no browser could be opened; open ${url}\n`)
      openBrowser(started.serving.controlOrigin, program.platform, fail)
    }
    await stopped
    await started.close({ drain: started.gateway.plan.simulation.listen.drain })
    leave()
    await log.close()
    // An unread line would keep the process waiting.
    program.end(0)
  })
}

/** Returns what the command line says about the service. */
function optionsOfService({ values, switches }: CommandLine, program: Program, plan: Plan) {
  const { environment, wings, complain } = program
  const { workers } = values
  return {
    clock: realClock,
    environment,
    wings,
    // The primary watches for all.
    watch: !switches.has('no-watch') && !isWorker(),
    exhausted: () => {
      complain(`understudy: ${EXHAUSTED}\n`)
      program.end(3)
    },
    recover: switches.has('recover'),
    permissions: switches,
    workers: isWorker() ? ('worker' as const) : workers === undefined ? undefined : Number(workers),
    listen: {
      ...listenOf(values, plan.simulation.listen),
      controlToken: environment.UNDERSTUDY_CONTROL_TOKEN || undefined,
    },
  }
}

/** Returns the addresses and ports to listen on. */
const listenOf = (values: CommandLine['values'], listen: Simulation['listen']) => ({
  host: values.host ?? listen.host,
  port: Number(values.port ?? listen.port),
  controlHost: values['control-host'] ?? listen.controlHost,
  controlPort: Number(values['control-port'] ?? listen.control),
})

const isCall = ({ kind }: { readonly kind: string }): boolean => kind === 'operation'

/** Whether requests of the plan share state: records, quotas, kept replies, counted rules. */
function sharesState({ collections, operations, simulation }: Plan): boolean {
  if (collections.size > 0) return true
  const remembering = simulation.house.behaviours.filter(({ remembers }) => remembers).map(({ name }) => name)
  return operations.some(
    ({ chain, rules = [] }) =>
      chain.some(({ name }) => remembering.includes(name)) ||
      rules.some(({ when, times }) => times !== undefined || when?.roots.has('nth') || when?.references.some(isCall)),
  )
}
