// Gateways in separate processes whose deliveries are kept in a log, and a receiver of them.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NOTES, type Replica } from '../../wire/replicas.ts'

/** Counts the deliveries of each note, and answers with a status that a test may change. */
export async function openReceiver() {
  const got: string[] = []
  const receiver = { got, status: 204, origin: '', close: () => void server.close() }
  const server = createServer(async (request, reply) => {
    let body = ''
    for await (const part of request) body += part
    got.push(`${JSON.parse(body).text}`)
    reply.writeHead(receiver.status, { connection: 'close' }).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  receiver.origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return receiver
}

/** Notes whose creation is told of. */
export const toldNotes = (origin: string): string => `${NOTES}
webhooks:
  noted: { on: { create: notes }, to: "${origin}", schema: Note, retry: { attempts: 5, first: 1s, factor: 1 } }
`

export const create = (replica: Replica, text: string) => replica.send('POST /notes', { text })
