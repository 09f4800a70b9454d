// The list of the commands: those of the house with what wings add to them, and those of wings.

import { check, plan } from './check.ts'
import type { Command, CommandExtension, Wing } from './command.ts'
import { schema } from './schema.ts'
import { serveCommand } from './serve.ts'

const COMMANDS: Readonly<Record<string, Command>> = { serve: serveCommand, check, plan, schema }

/** Returns the commands by name. */
export function commandsWith(wings: readonly Wing[]): Readonly<Record<string, Command>> {
  const extended = Object.entries(COMMANDS).map(([name, command]): [string, Command] => [
    name,
    wings.flatMap(({ extensions }) => extensions?.[name] ?? []).reduce(extend, command),
  ])
  return Object.assign(Object.fromEntries(extended), ...wings.map(({ commands }) => commands))
}

const extend = (command: Command, { options, run }: CommandExtension): Command => ({
  ...command,
  options: { ...command.options, ...options },
  run: (line, program) => run?.(line, program) ?? command.run(line, program),
})
