// The connections that a process has to a Redis server: for questions, for everything that takes long, and for messages.
// The door to the client library.

import { createClient, SocketTimeoutError } from '@redis/client'
import type { RedisAddress } from './redis-address.ts'

/** Milliseconds without a byte in either direction after which a connection for large replies is closed. */
const SILENCE = 10_000
/** The interval of questions that keep such a connection from being silent while it is not used, in milliseconds. */
const BETWEEN_SIGNS = 2500

type Client = ReturnType<typeof createClient>

export interface RedisClients {
  readonly questions: Client
  /** A reply may take as long as it needs, while it goes on. */
  readonly bulk: Client
  /** Its own connection, since a server closes one with channels if 32 MB wait to be sent on it. */
  readonly messages: Client
}

/** The connection that a command takes. The reply to one over `bulk` may take seconds. */
export type Lane = 'questions' | 'bulk'

export const clientsOf = ({ questions, bulk, messages }: RedisClients): readonly Client[] => [questions, bulk, messages]

/** @param patience the milliseconds that connecting may take */
export function makeClients(
  { host, port, tls, database, username, password }: RedisAddress,
  patience: number,
): RedisClients {
  const socket = { host, port, connectTimeout: patience, reconnectStrategy: false as const, ...(tls && { tls }) }
  const questions: Client = createClient({
    socket,
    database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    name: 'understudy',
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    // A timer for each command costs more than the command: `RedisConnection` shares one.
    commandOptions: { timeout: 0 },
  })
  // The library takes 25 ms to make a client with other options than the last one's, and none for a duplicate.
  const link = {
    questions,
    bulk: questions.duplicate({ socket: { ...socket, socketTimeout: SILENCE }, pingInterval: BETWEEN_SIGNS }),
    messages: questions.duplicate(),
  }
  // Every error ends the connection, or is that of a call.
  for (const client of clientsOf(link)) client.on('error', () => {})
  return link
}

/** Whether a connection was closed because it was silent. */
export const isSilence = (error: unknown): boolean => error instanceof SocketTimeoutError

/** Connects, and listens to channels. */
export async function connectClients(
  link: RedisClients,
  channels: ReadonlyMap<string, (message: string) => void>,
): Promise<void> {
  await Promise.all(clientsOf(link).map(client => client.connect()))
  for (const [channel, listener] of channels) await link.messages.subscribe(channel, listener)
}
