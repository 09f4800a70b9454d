// The order in which work changes recorded worlds: an interface, because worlds know no log.

/** The reason of a change, for the history. */
export interface Cause {
  /** `POST /v1/books`. */
  readonly text: string
  /** The position of the changes in the log, set when it is known. */
  position?: number
  /**
   * Set where the work was begun before the process knew whether it has the changes of all others: the state that it was
   * begun with. The work is refused with `Outdated` when it is another one by then.
   */
  readonly asOf?: number | undefined
}

/** The work was begun with a state that others have changed. Nothing was done. */
export class Outdated extends Error {
  override readonly name = 'Outdated'
}

/** Runs the work that changes recorded worlds, one piece after the other, in an order that is the same for all processes. */
export interface Turns {
  /** Whether work may run several times. */
  readonly repeats: boolean
  /**
   * Runs some work in its turn, and resolves once its changes are as durable as the engine promises. The work may run
   * several times: its changes of worlds are undone when another process was faster. It must not wait for the network or
   * the time, because all others wait for it.
   */
  run<Result>(work: () => Promise<Result>, cause: Cause): Promise<Result>
}
