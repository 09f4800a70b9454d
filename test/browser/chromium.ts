// A headless Chromium for tests. It must be installed on the machine: nothing is downloaded.

import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before } from 'node:test'
import { type Browser, chromium } from 'playwright-core'

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]
/** The path of the browser; `undefined` if there is none. */
export const CHROMIUM = [process.env.CHROMIUM ?? '', ...PLACES].find(path => path !== '' && existsSync(path))

/** The reason why no browser is available; `false` if one is. */
export const withoutBrowser: string | false =
  CHROMIUM === undefined && 'no Chromium is installed (apt-get install chromium, or set CHROMIUM)'

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-default-apps'],
]

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM as string, headless: true, args: FLAGS })

let shared: Promise<Browser> | undefined
/** The files of this process whose tests have not ended. */
let files = 0

/** For the top of a file of tests: returns a function that returns the browser of this process. The last file ends it. */
export function sharedBrowser(): () => Browser {
  let browser: Browser | undefined
  files += 1
  before(async () => {
    if (withoutBrowser !== false) return
    shared ??= launch()
    browser = await shared
  })
  after(async () => {
    files -= 1
    if (files > 0) return
    await browser?.close()
    shared = undefined
  })
  return () => browser as Browser
}

/** Serves an empty page on a free port of this machine. `localhost` and `127.0.0.1` are then two origins. */
export async function servePage(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server: Server = createServer((_, res) => {
    res.writeHead(200, { 'content-type': 'text/html' })
    res.end('<!doctype html><title>page</title><link rel="icon" href="data:,">')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
