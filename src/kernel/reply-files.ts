// Files that replies are made of: read at load, and only below the folder of the configuration.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'

/** The largest file in bytes: it is kept in memory for as long as its plan is served. */
const LARGEST = 16 * 1024 * 1024

export class ReplyFiles {
  readonly #folder: string
  readonly #paths = new Set<string>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Absolute paths of all files that were asked for, whether they could be read or not. */
  get paths(): readonly string[] {
    return [...this.#paths]
  }

  /** The content of a file, named relative to the folder; or why it cannot be had, as a sentence. */
  read(name: string): Uint8Array | string {
    const path = resolve(this.#folder, name)
    this.#paths.add(path)
    try {
      const folder = realpathSync(this.#folder)
      if (!`${realpathSync(path)}${sep}`.startsWith(`${folder}${sep}`)) {
        return `${name} is not below the folder of this configuration`
      }
      const found = statSync(path)
      if (!found.isFile()) return `${name} is not a file`
      if (found.size > LARGEST) return `${name} is larger than 16MB`
      return readFileSync(path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOENT' || code === 'ENOTDIR' ? `there is no file ${name}` : `${name} cannot be read (${code})`
    }
  }
}
