// Checks a history of concurrent operations (Wing and Gong): one order must respect real time and explain every reply.

/** An operation that a client has called. */
export interface Operation<Input, Output> {
  readonly input: Input
  /** Unset if the client got no reply: the operation may have happened at any later time, or not at all. */
  readonly output: Output | undefined
  /** The times of the call and of the reply, as increasing numbers. */
  readonly called: number
  readonly returned: number
}

/** Returns the state after an operation, `undefined` if the state does not explain the output. */
export type Step<State, Input, Output> = (state: State, input: Input, output: Output | undefined) => State | undefined

/**
 * Returns whether one order explains a history.
 *
 * @param keyOf tells states apart
 */
export function isLinearizable<State, Input, Output>(
  history: readonly Operation<Input, Output>[],
  initial: State,
  step: Step<State, Input, Output>,
  keyOf: (state: State) => string,
): boolean {
  const operations = [...history].sort((a, b) => a.called - b.called)
  const seen = new Set<string>()
  const open: { readonly done: ReadonlySet<number>; readonly first: number; readonly state: State }[] = [
    { done: new Set(), first: 0, state: initial },
  ]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { done, first, state } = node
    const left = operations.map((_, i) => i).filter(i => i >= first && !done.has(i))
    const certain = left.filter(i => operations[i]?.output !== undefined)
    if (certain.length === 0) return true
    // An operation cannot follow one that was called after it returned.
    const deadline = Math.min(...certain.map(i => operations[i]?.returned ?? Number.POSITIVE_INFINITY))
    for (const i of left) {
      const operation = operations[i]
      if (operation === undefined || operation.called > deadline) continue
      const next = step(state, operation.input, operation.output)
      if (next === undefined) continue
      const more = new Set([...done, i])
      let from = first
      while (more.delete(from)) from += 1
      const key = `${from}|${[...more].sort((a, b) => a - b).join()}|${keyOf(next)}`
      if (seen.has(key)) continue
      seen.add(key)
      open.push({ done: more, first: from, state: next })
    }
  }
  return false
}
