// Files that replies are made from. They are read at load, and only below the folder of the configuration.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'

/** The maximum size of a file in bytes. A file stays in memory while its plan is served. */
const LARGEST = 16 * 1024 * 1024

export class ReplyFiles {
  readonly #folder: string
  readonly #paths = new Set<string>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Absolute paths of all files that were requested, readable or not. */
  get paths(): readonly string[] {
    return [...this.#paths]
  }

  /** Returns the content of a file, named relative to the folder; or a sentence that says why it cannot be read. */
  read(name: string): Uint8Array | string {
    const path = resolve(this.#folder, name)
    this.#paths.add(path)
    try {
      const folder = realpathSync(this.#folder)
      if (!`${realpathSync(path)}${sep}`.startsWith(`${folder}${sep}`)) {
        return `${name} is outside the folder of this configuration`
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
