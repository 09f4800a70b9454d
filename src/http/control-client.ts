// Reads from the control plane of a running gateway, for commands.

interface Teller {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Writes to standard error. */
  complain(text: string): void
}

/** Returns the reply of the control plane at an address to `GET path`; prints why there is none. */
export async function readRunning(
  origin: string,
  path: string,
  { environment, complain }: Teller,
): Promise<string | undefined> {
  const fail = (why: string) => void complain(`understudy: ${origin} ${why}\n`)
  const { UNDERSTUDY_CONTROL_TOKEN: token } = environment
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
  try {
    const reply = await fetch(origin.replace(/\/+$/, '') + path, { headers })
    if (reply.ok) return await reply.text()
    const hint = reply.status === 401 ? '; set UNDERSTUDY_CONTROL_TOKEN' : ''
    return fail(`answered ${reply.status}: it is not the control plane of a gateway, or refused${hint}`)
  } catch (error) {
    const { cause, message } = error as Error
    const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message
    return fail(`cannot be read (${why}); start \`understudy serve\`, or name its control plane`)
  }
}
