// Data of the control plane as a component needs it: loading, ready or failed; loaded anew when its key changes, when the
// connection comes back, and on demand.

import { useCallback, useEffect, useState } from 'preact/hooks'
import { epoch } from './connection.ts'
import { Unreachable } from './control-plane.ts'

export interface Loaded<T> {
  /** The last value; it stays while another one is being loaded under the same key. */
  readonly value: T | undefined
  readonly error: Error | undefined
  readonly loading: boolean
  readonly reload: () => void
}

/**
 * Loads data for a component.
 *
 * @param key what the data depends on; another key drops the value
 * @param load is called again on each change of the key; its signal is aborted when its result is no longer needed
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: Error; loading: boolean }>({
    key,
    loading: true,
  })
  const [count, setCount] = useState(0)
  const generation = epoch.value
  useEffect(() => {
    const abort = new AbortController()
    setState(before => (before.key === key ? { ...before, loading: true } : { key, loading: true }))
    load(abort.signal).then(
      value => abort.signal.aborted || setState({ key, value, loading: false }),
      (error: Error) => {
        // The banner of the shell shows that the connection is lost; it is restored automatically.
        if (abort.signal.aborted || error instanceof Unreachable) return
        setState({ key, error, loading: false })
      },
    )
    return () => abort.abort()
  }, [key, count, generation])
  const reload = useCallback(() => setCount(before => before + 1), [])
  const { value, error, loading } = state.key === key ? state : { value: undefined, error: undefined, loading: true }
  return { value, error, loading, reload }
}

/** Calls `look` at this interval, in milliseconds, while the tab is visible. */
export function usePolling(look: () => void, milliseconds: number): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) look()
    }, milliseconds)
    return () => clearInterval(timer)
  }, [look, milliseconds])
}
