// `understudy serve`.

import { createLog, LOG_LEVELS, type LogLevel } from '../gateway/log.ts'
import type { Load } from '../gateway/reload.ts'
import type { Processes } from '../http/processes.ts'
import { findParents, followParents } from '../http/this-process.ts'
import type { Loaded, LoadOptions } from '../load/load.ts'
import type { Plan } from '../plan/plan.ts'
import type { Simulation } from '../plan/settings.ts'
import { type ServiceOptions, start } from '../start.ts'
import { realClock } from '../world/clock.ts'
import { describeStart } from './banner.ts'
import {
  CONFIGURATIONS,
  type Command,
  type CommandLine,
  load,
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
    'no-watch': { about: 'do not reload when a file changes' },
  },
  reads: true,
  run: runServe,
}

/** Loads the configuration, and refuses it where several processes cannot serve it. */
class ServedConfiguration {
  readonly #line: CommandLine
  readonly #program: Program
  readonly #processes: Processes | undefined
  /** The files of the configuration on the disk when it was last loaded. */
  #files: LoadOptions['confined'] = { files: [], included: [] }

  constructor(line: CommandLine, program: Program, processes: Processes | undefined) {
    this.#line = line
    this.#program = program
    this.#processes = processes
  }

  async load(): Promise<Loaded> {
    const loaded = await load(this.#line, this.#program)
    this.#note(loaded)
    return this.#accept(loaded)
  }

  readonly reload: Load = async ({ text, lacking, worlds }) => {
    const loaded = await load(this.#line, this.#program, {
      text,
      lacking,
      worlds: { ...readingOf(this.#line, this.#program.wings).worlds, ...worlds },
      confined: text === undefined ? undefined : this.#files,
    })
    if (text === undefined) this.#note(loaded)
    return this.#accept(loaded)
  }

  #note({ files, included }: Loaded): void {
    this.#files = { files, included }
  }

  #accept(loaded: Loaded): Loaded {
    return this.#processes?.accept(loaded) ?? loaded
  }
}

/** Returns the processes that serve; `undefined` if this is the only one. */
const processesOf = (line: CommandLine, { wings }: Program): Promise<Processes> | undefined =>
  wings.flatMap(({ extensions }) => extensions?.serve?.processes?.(line) ?? [])[0]

async function runServe(line: CommandLine, program: Program): Promise<number> {
  const { environment, version, wings, print } = program
  const parents = findParents()
  const processes = await processesOf(line, program)
  const isLed = processes?.isLed === true
  const configuration = new ServedConfiguration(line, program, processes)
  const loaded = await configuration.load()
  return withPlan(loaded, line, program, async plan => {
    const log = await createLog((line.values['log-level'] ?? 'info') as LogLevel)
    let stop = () => {}
    let stopped = Promise.resolve()
    const options: ServiceOptions = {
      ...optionsOfService(line, program, plan),
      log,
      processes,
      // The leader watches for all.
      watch: !line.switches.has('no-watch') && !isLed,
      // A process that is led serves before all do: signals must not end the program then.
      opening: reloader => {
        stopped = program.stopped(resolve => {
          stop = resolve
        })
        // Processes that are led reload when their leader does.
        program.onHangup(() => isLed || void reloader.reload().catch(() => {}))
      },
    }
    const started = await start(plan, loaded, configuration.reload, options)
    processes?.follow(started.gateway, started.reloader, stop)
    // Other scripts of npm may leave a server behind on purpose, as in "understudy serve & run-tests".
    if (!isLed && environment.npm_lifecycle_event === 'start') followParents(parents, stop)
    if (!isLed) {
      print(await describeStart(plan, version, wings, started.serving))
      for (const { extensions } of wings) await extensions?.serve?.started?.(started.serving, line, program)
    }
    await stopped
    await started.close({ drain: started.gateway.plan.simulation.listen.drain })
    processes?.leave()
    await log.close()
    // An unread line would keep the process waiting.
    program.end(0)
  })
}

/** Returns what the command line says about the service. */
function optionsOfService({ values, switches }: CommandLine, program: Program, plan: Plan) {
  const { environment, wings, complain } = program
  return {
    clock: realClock,
    environment,
    wings,
    exhausted: () => {
      complain(`understudy: ${EXHAUSTED}\n`)
      program.end(3)
    },
    switches,
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
