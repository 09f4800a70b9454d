// The image's health check: asks /healthz of the control plane, by http or https. Exits with 0 where it is well, with 1 where
// it is not. CONTROL_HOST and CONTROL_PORT say where it listens. Without CONTROL_PORT it is 4011, or, as the configuration or the
// command line may name another, a port of process 1 or its children. `node health.mjs PID` looks at those of PID.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { request as byHttp } from 'node:http'
import { request as byHttps } from 'node:https'

const { CONTROL_HOST = '', CONTROL_PORT = '', PORT = '4010' } = process.env
const [, , pid = '1'] = process.argv
/** Every interface has this machine among them. */
const LOCAL = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1', '0:0:0:0:0:0:0:0': '::1' }
const reachable = host => (LOCAL[host] ?? host).replace(/^\[(.*)\]$/, '$1')

/** Returns what `read` returns; nothing where this system does not have it. */
const orNothing = read => {
  try {
    return read()
  } catch {
    return []
  }
}

/** The addresses of the listening sockets in a table of Linux (`proc(5)`): `{ host, port, inode }`. */
const listeningIn = table =>
  orNothing(() => readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n').slice(1))
    .map(line => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === '0A')
    .map(([, address, , , , , , , , inode]) => {
      const [hex, port] = address.split(':')
      // Each word of four bytes is written in the order of the machine.
      const bytes = Buffer.from(hex, 'hex').swap32()
      const words = Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16))
      const host = bytes.length === 4 ? bytes.join('.') : words.join(':')
      return { host: reachable(host), port: Number.parseInt(port, 16), inode }
    })

/** Where process 1 or one of its children listens. */
const found = () => {
  const children = orNothing(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' '))
  const links = [pid, ...children].flatMap(one =>
    orNothing(() => readdirSync(`/proc/${one}/fd`).map(fd => orNothing(() => readlinkSync(`/proc/${one}/fd/${fd}`)))),
  )
  const open = new Set(links)
  return ['tcp', 'tcp6'].flatMap(listeningIn).filter(({ inode }) => open.has(`socket:[${inode}]`))
}

/** The status of the reply; 0 where there is none. */
const ask = (request, { host, port }) =>
  new Promise(resolve => {
    // It is this machine that is asked: who signed its certificate says nothing about its health.
    const options = { host, port, path: '/healthz', rejectUnauthorized: false, timeout: 1500 }
    const sent = request(options, reply => resolve(reply.resume().statusCode))
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(0))
    sent.end()
  })

const isWell = async address => {
  const status = await ask(byHttp, address)
  // A port that speaks https answers http with 400.
  return status === 200 || (status === 400 && (await ask(byHttps, address)) === 200)
}

const usual = { host: reachable(CONTROL_HOST), port: Number(CONTROL_PORT || 4011) }
const listening = CONTROL_PORT === '' ? found() : []
// The port of the API is not asked, if it is known: a mock records its requests.
const others = listening.some(({ port }) => port === usual.port)
  ? []
  : listening.filter(({ port }) => port !== Number(PORT))
const answers = await Promise.all((others.length > 0 ? others : [usual]).map(isWell))
process.exit(answers.includes(true) ? 0 : 1)
