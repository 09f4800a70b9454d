// Short messages in a corner of the page, which screen readers read out: "copied", "sent".

import { signal } from '@preact/signals'

interface Message {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'failed'
}

const messages = signal<readonly Message[]>([])
let last = 0

/** Milliseconds that a message stays; one about a failure stays longer, since it must be read. */
const STAY = { done: 3500, failed: 9000 } as const

export function announce(text: string, kind: Message['kind'] = 'done'): void {
  last += 1
  const id = last
  messages.value = [...messages.value.slice(-3), { id, text, kind }]
  setTimeout(() => {
    messages.value = messages.value.filter(message => message.id !== id)
  }, STAY[kind])
}

/** Runs work that the user started, and announces its outcome. A failure is shown with its detail. */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work()
    if (done !== undefined) announce(done)
    return true
  } catch (error) {
    announce((error as Error).message, 'failed')
    return false
  }
}

export const Announcements = () => (
  <div class="announcements" role="status" aria-live="polite">
    {messages.value.map(({ id, text, kind }) => (
      <p key={id} class={`announcement ${kind}`}>
        {text}
      </p>
    ))}
  </div>
)
