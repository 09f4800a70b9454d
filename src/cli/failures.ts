// Says why the program cannot start.

import { relative } from 'node:path'
import { UnguardedControlPlane } from '../http/control/access.ts'
import { StateRefused } from '../world/engines/engine.ts'
import type { CommandLine } from './command-line.ts'
import { COMMANDS } from './commands.ts'
import { FileExists } from './init.ts'

/** Describes a missing file: the names that were searched for, and the argument to give instead. */
export function describeMissing({ command }: CommandLine): string {
  const looked = COMMANDS[command]?.files?.join(', ')
  const hint =
    command === 'init'
      ? 'name an OpenAPI document: understudy init FILE'
      : 'name a gateway.yaml or an OpenAPI document, or write a gateway.yaml: understudy init FILE'
  return `none of these files exists: ${looked}\n${hint}`
}

/** Describes an error of the start. `home` is the folder that paths are shown relative to. */
export function describeFailure(error: unknown, home: string): string {
  const { code, port, address, syscall } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  if (error instanceof StateRefused) return error.message
  if (error instanceof UnguardedControlPlane) return error.message
  if (error instanceof FileExists) return `${relative(home, error.message)} already exists; overwrite it with --force`
  if (code === 'EADDRINUSE') return `the port ${port} is taken; choose another with --port or --control-port`
  if (code === 'EACCES' && syscall === 'listen') return `the port ${port} needs privileges; choose one above 1023`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${address ?? 'the address'} is not an address of this machine; see --host and --control-host`
  }
  return String(error)
}
