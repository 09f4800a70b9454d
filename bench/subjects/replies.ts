// The replies of a bare server. They are recorded from Understudy beforehand, so that all subjects write the same bytes.

import { readFileSync } from 'node:fs'

export interface Recorded {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether each reply has another number where the body has `00000000`. */
  readonly varies?: boolean
}

/** The replies by method and URL of the request line. */
export const replies = new Map(
  (JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as Recorded[]).map(one => [
    `${one.method} ${one.url}`,
    one,
  ]),
)
