// `understudy serve`.

import { createLog, LOG_LEVELS, type LogLevel } from '../gateway/log.ts'
import type { Load } from '../gateway/reload.ts'
import { findParents, followParents } from '../http/this-process.ts'
import { isWorker, leave, obey } from '../http/workers/worker.ts'
import type { Loaded } from '../load/load.ts'
import type { Plan } from '../plan/plan.ts'
import type { Simulation } from '../plan/settings.ts'
import { start } from '../start.ts'
import { realClock } from '../world/real-time.ts'
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

async function runServe(line: CommandLine, program: Program): Promise<number> {
  const { environment, version, print, complain, wings } = program
  const parents = findParents()
  const { values, switches } = line
  const several = values.workers !== undefined
  /** The files that the configuration on the disk named when it was last loaded. */
  let known: readonly string[] = []
  /** Whether several processes serve that share no state; unset before they do. */
  let apart: boolean | undefined
  const accept = (loaded: Loaded, text?: string): Loaded => {
    if (text === undefined) known = loaded.files
    const { plan, report } = loaded
    if (!several || plan === undefined || !sharesState(plan)) return loaded
    const { source, state } = plan.simulation
    const isShared = state?.engine.kind === 'redis'
    if (isShared && apart !== true) return loaded
    const message = 'several processes (--workers) share records, limits and kept replies through Redis only'
    const hint = isShared ? 'restart the program' : 'serve without --workers, or set state: { redis: … }'
    report.error('shared-state', message, source.locate([]), hint)
    return { ...loaded, plan: undefined }
  }
  const reload: Load = async ({ text, lacking, worlds }) => {
    const more = {
      text,
      lacking,
      worlds: { ...readingOf(line, wings).worlds, ...worlds },
      confined: text === undefined ? undefined : known,
    }
    return accept(await load(line, program, more), text)
  }
  const loaded = accept(await load(line, program))
  return withPlan(loaded, line, program, async plan => {
    const { listen } = plan.simulation
    apart = plan.simulation.state?.engine.kind !== 'redis'
    const log = await createLog((values['log-level'] ?? 'info') as LogLevel)
    const started = await start(plan, loaded, reload, {
      clock: realClock,
      log,
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
      workers: isWorker() ? 'worker' : several ? Number(values.workers) : undefined,
      listen: { ...listenOf(values, listen), controlToken: environment.UNDERSTUDY_CONTROL_TOKEN || undefined },
    })
    // The signal handlers exist before the banner is printed.
    const told = program.stopped(stop => {
      // Workers reload when the primary does.
      program.onHangup(() => isWorker() || void started.reloader.reload().catch(() => {}))
      if (isWorker()) obey(started.gateway, started.reloader, stop)
      // Other scripts of npm may leave a server behind on purpose, as in "understudy serve & run-tests".
      else if (environment.npm_lifecycle_event === 'start') followParents(parents, stop)
    })
    if (!isWorker()) print(describeStart(plan, version, started.serving))
    if (switches.has('open') && !isWorker()) {
      const fail = (url: string) => complain(`understudy: no browser could be opened; open ${url}\n`)
      openBrowser(started.serving.controlOrigin, program.platform, fail)
    }
    await told
    await started.close({ drain: started.gateway.plan.simulation.listen.drain })
    leave()
    await log.close()
    // An unread line would keep the process waiting.
    program.end(0)
  })
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
