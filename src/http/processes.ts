// The interface of several processes that serve one API: this process leads the others, or one of them leads it.

import type { Socket } from 'node:net'
import type { Gateway } from '../gateway/gateway.ts'
import type { Log } from '../gateway/log.ts'
import type { Reloader } from '../gateway/reload.ts'
import type { Loaded } from '../load/load.ts'
import type { KeyPair } from '../plan/settings.ts'
import type { ControlRoute } from './control/route.ts'

export interface Processes {
  /** Whether another process leads: it has the control plane, watches the files and prints. */
  readonly isLed: boolean
  /** Returns what was loaded. Refuses, with a mistake in its report, what several processes cannot serve. */
  accept(loaded: Loaded): Loaded
  /** Prepares for serving. */
  join(gateway: Gateway, log: Log): SharedService
  /** Is called once this process serves. @param stop ends it */
  follow(gateway: Gateway, reloader: Reloader, stop: () => void): void
  /** Lets go of the other processes, so that this one can end. */
  leave(): void
}

/** An API that several processes serve. */
export interface SharedService {
  readonly isLed: boolean
  /** How many processes serve, if this one leads them. */
  readonly count?: number
  /** Why not all processes serve; `undefined` if they do. */
  readonly unavailable?: string | undefined
  /** Returns the certificate of all processes, which one of them makes. */
  certificate(make: () => Promise<KeyPair>): Promise<KeyPair>
  /** Begins to serve. Resolves with the port. @param take serves a connection in this process */
  open(port: number, host: string, take: (socket: Socket) => void): Promise<number>
  /** Returns the metrics of all processes, in the exposition format; `undefined` if they cannot be had. */
  page(): Promise<string | undefined>
  /** Returns the routes of the control plane that this process has. */
  routes?(routes: readonly ControlRoute[]): readonly ControlRoute[]
  /** Stops the processes that this one leads. */
  stop?(): Promise<void>
  /** Resolves when no connections arrive any more, so that the last replies may be given. */
  untilPortIsClosed?(): Promise<void>
}
