// The files that `understudy init` writes, and the schema of gateway.yaml.

import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Plan } from '../plan/plan.ts'

/** Files of the same name are never overwritten unless `force` says so. */
export class FileExists extends Error {
  override readonly name = 'FileExists'
}

/** Writes a text, in the given folder; throws a `FileExists`. */
export function writeAnew(path: string, text: string, force: boolean): void {
  try {
    writeFileSync(path, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new FileExists(path)
    throw error
  }
}

/** The schema as an installed package has it. */
const INSTALLED = 'node_modules/understudy/config/gateway.schema.json'

/**
 * Returns the comment by which an editor finds the schema of a gateway.yaml in `folder`: the one that `init` writes beside it,
 * otherwise that of the installed package, otherwise one that is beside it already. Without any of them it returns no comment.
 *
 * @param written whether a gateway.schema.json is written beside it
 */
export function modeline(folder: string, written: boolean): string {
  const installed = written ? undefined : installedSchema(folder)
  if (installed === undefined && !written && !existsSync(join(folder, BESIDE))) return ''
  const schema = installed === undefined ? BESIDE : relative(folder, installed).replaceAll('\\', '/')
  return `# yaml-language-server: $schema=${schema.startsWith('.') ? schema : `./${schema}`}\n`
}

/** The schema that `init --schema` writes. */
const BESIDE = 'gateway.schema.json'

function installedSchema(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, INSTALLED)
    if (existsSync(path)) return path
    if (dirname(at) === at) return undefined
  }
}

/** The JSON Schema of gateway.yaml, with the names of a plan's contract. Its generator is loaded when it is needed. */
export async function describeSchema(plan: Plan | undefined): Promise<string> {
  const { publishedSchema, schemaFor } = await import('../plan/published-schema.ts')
  return `${JSON.stringify(plan === undefined ? publishedSchema() : schemaFor(plan), null, 2)}\n`
}
