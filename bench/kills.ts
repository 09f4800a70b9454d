// A soak with kills: workers are killed at random during requests to both planes. A kill may fail the running requests of that
// worker only.

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Figure } from './figures.ts'
import { RESULTS, startUnprobed } from './subject.ts'

/** Has no state, so that several processes can serve it. */
const GATEWAY = `contract:
  openapi: 3.1.0
  info: { title: Kills, version: "1" }
  paths:
    /ping: { get: { operationId: ping, responses: { "200": { description: Fixed. } } } }
operations: { ping: { respond: { status: 200, body: { pong: true } } } }
`
const WORKERS = 3
const CONNECTIONS = 8
/** The maximum of milliseconds between two kills. */
const PAUSE = 1500

/** @param seconds how long workers are killed */
export async function measureKills(seconds: number): Promise<Figure[]> {
  mkdirSync(RESULTS, { recursive: true })
  const file = `${RESULTS}/kills.yaml`
  writeFileSync(file, GATEWAY)
  const subject = await startUnprobed(file, '--workers', `${WORKERS}`, '--log-level', 'error')
  const until = performance.now() + seconds * 1000
  let [served, lost, wrong, kills, unanswered] = [0, 0, 0, 0, 0]
  const client = async () => {
    while (performance.now() < until) {
      const status = await ask(subject.port, '/ping')
      if (status === 200) served += 1
      else if (status === undefined) lost += 1
      else wrong += 1
    }
  }
  const killer = async () => {
    while (performance.now() < until) {
      await setTimeout(Math.random() * PAUSE)
      const workers = childrenOf(subject.pid)
      const victim = workers[Math.floor(Math.random() * workers.length)]
      if (victim === undefined) continue
      process.kill(victim, 'SIGKILL')
      kills += 1
      if ((await ask(subject.controlPort, '/metrics')) !== 200) unanswered += 1
    }
  }
  await Promise.all([killer(), ...Array.from({ length: CONNECTIONS }, client)])
  const last = await ask(subject.port, '/ping')
  await subject.stop()
  if (last !== 200 || wrong > 0)
    throw new Error(`after ${kills} kills: ${wrong} wrong replies, the last request: ${last}`)
  return [
    {
      name: `requests lost a kill (${kills} kills, ${served} served)`,
      value: lost / kills,
      unit: '',
      target: CONNECTIONS,
    },
    { name: 'requests to the control plane lost', value: unanswered, unit: '', target: 0 },
  ]
}

/** Sends a request on a new connection. Resolves with the status, or `undefined` without a reply. */
const ask = (port: number, path: string): Promise<number | undefined> =>
  new Promise(resolve => {
    request({ port, path, agent: false, timeout: 5000 }, res => {
      res.resume()
      res.on('close', () => resolve(res.complete ? res.statusCode : undefined))
    })
      .on('timeout', function (this: { destroy(): void }) {
        this.destroy()
      })
      .on('error', () => resolve(undefined))
      .end()
  })

const childrenOf = (pid: number): number[] => {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return lines
    .map(line => line.trim().split(/\s+/))
    .filter(([, parent, , ...args]) => Number(parent) === pid && args.some(arg => arg.includes('cli.js')))
    .map(([own]) => Number(own))
}
