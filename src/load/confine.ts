// Limits a configuration that is not from the disk.

import { readFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { isPattern } from '../kernel/file/pattern.ts'
import { realOf } from '../kernel/file/read-source.ts'
import type { Environment } from '../kernel/file/source.ts'
import { attempted } from '../kernel/memo.ts'
import type { LoadOptions } from './loading.ts'

interface Confines {
  readonly variables: Environment
  admits(path: string): boolean
}

/**
 * Returns the limits of a configuration from elsewhere: it may use the variables that the file on disk and those that it includes
 * name, the files that they refer to, and files below its folder.
 *
 * @param file the path of the gateway file; if there is none, it names no variables and files
 * @param known the files that it led to when it was loaded; `undefined` for no limits
 */
export function confine(file: string, known: LoadOptions['confined'], environment: Environment): Confines {
  if (known === undefined) return { variables: environment, admits: () => true }
  const texts = [file, ...known.included].map(path => attempted(() => readFileSync(path, 'utf8')) ?? '')
  const names = [...texts.join('\n').matchAll(/\$\{([A-Za-z_]\w*)/g)].map(([, name]) => name as string)
  const readable = names.filter(name => !name.startsWith('UNDERSTUDY_')).map(name => [name, environment[name]])
  const folder = realOf(dirname(file))
  // A pattern does not exist; its folder does.
  const real = (path: string) => (isPattern(path) ? join(realOf(dirname(path)), basename(path)) : realOf(path))
  const admitted = new Set([file, ...known.files].map(real))
  const admits = (path: string) => admitted.has(real(path)) || real(path).startsWith(folder + sep)
  return { variables: Object.fromEntries(readable) as Environment, admits }
}
