// Limits a configuration that is not from the disk: it may use the variables that the file on disk names, the
// files that it refers to, and files below its folder.

import { readFileSync, realpathSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import type { Environment } from '../kernel/source.ts'

export interface Confinement {
  readonly variables: Environment
  admits(file: string): boolean
}

/**
 * @param file the path of the gateway file; if there is none, it names no variables and files
 * @param known the files that it led to when it was loaded
 */
export function confine(file: string, known: readonly string[], environment: Environment): Confinement {
  const text = textOf(file)
  const names = [...text.matchAll(/\$\{([A-Za-z_]\w*)/g)].map(([, name]) => name as string)
  const variables = Object.fromEntries(
    names.filter(name => !name.startsWith('UNDERSTUDY_')).map(name => [name, environment[name]]),
  )
  const folder = realOf(dirname(file))
  const admitted = new Set([file, ...known].map(realOf))
  return {
    variables,
    admits(path) {
      const real = realOf(path)
      return admitted.has(real) || real.startsWith(folder + sep)
    },
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Resolves the links of a path; returns the path itself if it does not exist. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
