// Reads from the control plane of a running gateway, for commands.

/**
 * Returns the reply to `GET path`, or the reason why there is none.
 *
 * @param signal ends the call
 */
export async function readControlPlane(
  origin: string,
  path: string,
  token: string | undefined,
  signal: AbortSignal | null = null,
): Promise<{ readonly text: string } | { readonly fault: string }> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  try {
    const reply = await fetch(new URL(path, origin), { headers, signal })
    const text = await reply.text()
    if (reply.ok) return { text }
    const hint = reply.status === 401 ? '; set UNDERSTUDY_CONTROL_TOKEN' : ''
    return { fault: `${origin} answered ${reply.status}: it is not the control plane of a gateway, or refused${hint}` }
  } catch (error) {
    const { cause, message } = error as Error
    const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message
    return {
      fault: `${origin} cannot be read (${why}); start \`understudy serve\`, or name its control plane`,
    }
  }
}
