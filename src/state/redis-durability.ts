// Reads from a Redis server how it keeps its data.

/** Returns warnings about its settings; none if the server does not show them. */
export async function durabilityOf(send: (args: readonly string[]) => Promise<unknown>): Promise<readonly string[]> {
  const problems: string[] = []
  const [appendonly, save] = [await setting(send, 'appendonly'), await setting(send, 'save')]
  if (appendonly === 'no' && save === '') {
    problems.push('does not write to disk, so a restart loses all state; set appendonly yes, or save')
  }
  const policy = await setting(send, 'maxmemory-policy')
  if (policy?.startsWith('allkeys') === true && (await setting(send, 'maxmemory')) !== '0') {
    problems.push(`may evict the state (maxmemory-policy is ${policy}; set noeviction, or a volatile policy)`)
  }
  return problems
}

/** A setting of the server; `undefined` if the server does not show it, as many hosted ones. */
async function setting(send: (args: readonly string[]) => Promise<unknown>, name: string): Promise<string | undefined> {
  try {
    const reply = await send(['CONFIG', 'GET', name])
    // A map in RESP3, a list in RESP2.
    if (Array.isArray(reply)) return reply[1] as string | undefined
    return (reply as Readonly<Record<string, string>>)[name]
  } catch {
    return undefined
  }
}
