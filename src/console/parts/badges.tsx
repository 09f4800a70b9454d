// Small marks with a colour: the method of a request and the status of a reply.

/** The class of a status: a colour is chosen by it, and the text says the same. */
const classOf = (status: number): string => (status === 0 ? 'cut' : `s${Math.floor(status / 100)}`)

export const Status = ({ status }: { status: number }) => (
  <span class={`status ${classOf(status)}`} title={status === 0 ? 'the client got no reply' : undefined}>
    {status === 0 ? 'cut' : status}
  </span>
)

export const Method = ({ method }: { method: string }) => <span class={`method ${method.toLowerCase()}`}>{method}</span>

export const Badge = ({ tone = 'plain', children }: { tone?: Tone; children: string }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

export type Tone = 'plain' | 'good' | 'info' | 'warn' | 'bad' | 'accent'
