// Hooks for data of the gateway: loading it, polling, the time, and work that the user starts.

import { useCallback, useEffect, useState } from 'preact/hooks'
import { epoch, Unreachable } from './control-plane.ts'

/**
 * Calls `look` at once, after each reconnection, on each change of the key, and at this interval, in milliseconds, while the
 * tab is visible.
 */
export function usePolling(look: () => Promise<unknown>, interval?: number, key = ''): void {
  const generation = epoch.value
  useEffect(() => {
    // The banner of the shell shows that the connection is lost; other failures are tried again.
    const poll = (): void => void look().catch(() => undefined)
    poll()
    const timer = interval === undefined ? interval : setInterval(() => document.hidden || poll(), interval)
    return () => clearInterval(timer)
  }, [look, interval, generation, key])
}

export interface LoadedData<T> {
  /** The last value; it stays while another one is being loaded under the same key. */
  readonly value: T | undefined
  readonly error: Error | undefined
  readonly reload: () => Promise<void>
}

/**
 * Loads data for a component.
 *
 * @param key the data depends on it; another key drops the value
 * @param load is called again on each change of the key; its signal is aborted when its result is no longer needed
 * @param every milliseconds after which it is loaded again; unset: only by `reload`
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>, every?: number): LoadedData<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: Error }>({ key })
  const [running] = useState<{ abort?: AbortController }>({})
  const reload = useCallback(async () => {
    running.abort?.abort()
    const abort = new AbortController()
    running.abort = abort
    try {
      const value = await load(abort.signal)
      if (!abort.signal.aborted) setState({ key, value })
    } catch (error) {
      // The connection is restored automatically, and the data loaded again.
      if (!abort.signal.aborted && !(error instanceof Unreachable)) setState({ key, error: error as Error })
    }
  }, [key])
  usePolling(reload, every)
  useEffect(() => () => running.abort?.abort(), [])
  const { value, error } = state.key === key ? state : { value: undefined, error: undefined }
  return { value, error, reload }
}

/** Returns the real time in milliseconds since the epoch; the component is rendered again at this interval. */
export function useNow(interval: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), interval)
    return () => clearInterval(timer)
  }, [interval])
  return now
}

export interface Task {
  readonly busy: boolean
  /** The failure of the last run. */
  readonly error: Error | undefined
  /** Returns whether the work succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>
}

/** Runs the work of a form, which shows its progress and its failure. */
export function useTask(): Task {
  const [state, setState] = useState<Omit<Task, 'run'>>({ busy: false, error: undefined })
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setState({ busy: true, error: undefined })
    let error: Error | undefined
    try {
      await work()
    } catch (failure) {
      error = failure as Error
    }
    setState({ busy: false, error })
    return error === undefined
  }
  return { ...state, run }
}
