// The answers that were ordered and are not used up: as a list with a button that removes each.

import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { epoch } from '../model/connection.ts'
import { call, pathOf } from '../model/control-plane.ts'
import type { GivenAnswer } from '../model/shapes.ts'
import { attempt } from '../parts/announce.tsx'
import { Icon } from '../parts/icon.tsx'
import { describeOrder } from './answer-order.ts'

export const answers = signal<readonly GivenAnswer[]>([])

export async function refreshAnswers(): Promise<void> {
  answers.value = (await call<{ answers: GivenAnswer[] }>('GET', '/answers', { quiet: true })).answers
}

/** Milliseconds between two looks: an answer that was given disappears. */
const INTERVAL = 2000

/** Keeps the list up to date while a component that calls it is shown. */
function useAnswers(): readonly GivenAnswer[] {
  const generation = epoch.value
  useEffect(() => {
    const refresh = (): void => {
      if (!document.hidden) refreshAnswers().catch(() => undefined)
    }
    refresh()
    const timer = setInterval(refresh, INTERVAL)
    return () => clearInterval(timer)
  }, [generation])
  return answers.value
}

/** @param operation shows only what concerns it; unset for all */
export function GivenAnswers({ operation }: { operation?: string }) {
  const shown = useAnswers().filter(one => operation === undefined || (one.operation ?? operation) === operation)
  if (shown.length === 0) return null
  return (
    <ul class="given-answers">
      {shown.map(answer => (
        <li key={answer.id}>
          <Icon name="bolt" />
          <span class="given-text">
            {operation === undefined ? `${answer.operation ?? 'every operation'}: ` : ''}
            {describeOrder(answer)}
            <span class="muted">
              {' '}
              · {answer.world ?? 'every world'}
              {answer.left === null ? ` · given ${answer.given} times` : ` · ${answer.left} left`}
            </span>
          </span>
          <button
            type="button"
            class="button quiet"
            aria-label={`Switch off the answer ${answer.id}`}
            onClick={() => attempt(async () => remove(answer.id), 'Switched off.')}
          >
            Switch off
          </button>
        </li>
      ))}
    </ul>
  )
}

async function remove(id: string): Promise<void> {
  await call('DELETE', pathOf`/answers/${id}`)
  await refreshAnswers()
}
