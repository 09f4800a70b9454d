// The image's health check: asks /healthz of the control plane, wherever CONTROL_HOST and CONTROL_PORT put it, by http or
// https. Exits with 0 where it is well, with 1 where it is not.

import { request as byHttp } from 'node:http'
import { request as byHttps } from 'node:https'

const { CONTROL_HOST = '', CONTROL_PORT = '' } = process.env
/** Every interface has this machine among them. */
const LOCAL = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' }
const host = (LOCAL[CONTROL_HOST] ?? CONTROL_HOST).replace(/^\[(.*)\]$/, '$1')
const port = Number(CONTROL_PORT || 4011)

/** The status of the reply; 0 where there is none. */
const ask = request =>
  new Promise(resolve => {
    // It is this machine that is asked: who signed its certificate says nothing about its health.
    const options = { host, port, path: '/healthz', rejectUnauthorized: false, timeout: 1500 }
    const sent = request(options, reply => resolve(reply.resume().statusCode))
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(0))
    sent.end()
  })

const status = await ask(byHttp)
// A port that speaks https answers http with 400.
const well = status === 200 || (status === 400 && (await ask(byHttps)) === 200)
process.exit(well ? 0 : 1)
