// The options that the command line sets over the configuration: of loading and of listening.

import type { LoadOptions } from '../load/load.ts'
import type { Simulation } from '../plan/settings.ts'
import type { CommandLine } from './command-line.ts'

/** Returns the options of reading that the command line sets. */
export function readingOf({ values, switches }: CommandLine): LoadOptions {
  const status = values['invalid-status']
  return {
    strict: switches.has('strict'),
    basePath: values['base-path'],
    invalidStatus: status === undefined ? undefined : status === '422' ? 422 : 400,
  }
}

/** Returns the addresses and ports to listen on. */
export const listenOf = (values: CommandLine['values'], listen: Simulation['listen']) => ({
  host: values.host ?? listen.host,
  port: Number(values.port ?? listen.port),
  controlHost: values['control-host'] ?? listen.controlHost,
  controlPort: Number(values['control-port'] ?? listen.control),
})
