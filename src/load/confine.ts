// Limits a configuration that is not from the disk.

import { readFileSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { realOf } from '../kernel/file/read-source.ts'
import type { Environment } from '../kernel/file/source.ts'
import { attempted } from '../kernel/memo.ts'

interface Confines {
  readonly variables: Environment
  admits(path: string): boolean
}

/**
 * Returns the limits of a configuration from elsewhere: it may use the variables that the file on disk names, the files that it
 * refers to, and files below its folder.
 *
 * @param file the path of the gateway file; if there is none, it names no variables and files
 * @param known the files that it led to when it was loaded; `undefined` for no limits
 */
export function confine(file: string, known: readonly string[] | undefined, environment: Environment): Confines {
  if (known === undefined) return { variables: environment, admits: () => true }
  const text = attempted(() => readFileSync(file, 'utf8')) ?? ''
  const names = [...text.matchAll(/\$\{([A-Za-z_]\w*)/g)].map(([, name]) => name as string)
  const readable = names.filter(name => !name.startsWith('UNDERSTUDY_')).map(name => [name, environment[name]])
  const folder = realOf(dirname(file))
  const admitted = new Set([file, ...known].map(realOf))
  const admits = (path: string) => admitted.has(realOf(path)) || realOf(path).startsWith(folder + sep)
  return { variables: Object.fromEntries(readable) as Environment, admits }
}
