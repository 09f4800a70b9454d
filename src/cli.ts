#!/usr/bin/env node
// The command line: arguments and environment in, exit code out. The only reader of `process`.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Program } from './cli/command.ts'
import { describeFailure, describeMissing, readCommandLine, WrongCommandLine } from './cli/command-line.ts'
import { commandsWith } from './cli/commands.ts'
import { showProgress } from './kernel/terminal.ts'
import { version } from './start.ts'
import { WINGS } from './wings.ts'
import { realClock } from './world/clock.ts'

const program: Program = {
  wings: WINGS,
  home: process.cwd(),
  environment: process.env,
  platform: process.platform,
  version,
  progress: showProgress({ write: text => process.stderr.isTTY && process.stderr.write(text), now: realClock.now }),
  print: text => void process.stdout.write(text),
  complain: text => void process.stderr.write(text),
  stopped: otherwise =>
    new Promise(resolve => {
      otherwise?.(resolve)
      let first = true
      const stop = (signal: NodeJS.Signals) => {
        if (!first) process.exit(signal === 'SIGINT' ? 130 : 143)
        first = false
        resolve()
      }
      process.on('SIGTERM', stop)
      process.on('SIGINT', stop)
    }),
  // A terminal that is closed ends the program.
  onHangup: reload => void (process.stdin.isTTY || process.on('SIGHUP', reload)),
  end(code) {
    unwritten = false
    process.exit(code)
  },
}

// Output that cannot be written is dropped: a full disk or a closed pipe must not stop the server.
let unwritten = false
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  unwritten ||= code !== 'EPIPE'
})
process.stderr.on('error', () => {})
process.on('exit', () => {
  if (unwritten && !process.exitCode) process.exitCode = 1
})

try {
  const { home, print, complain } = program
  const line = readCommandLine(process.argv.slice(2), process.env, version, {
    wings: WINGS,
    exists: file => existsSync(resolve(home, file)),
  })
  if (line.help !== undefined) print(line.help)
  else if (line.version) print(`${version}\n`)
  else if (line.missing) {
    complain(`understudy: ${describeMissing(line, WINGS)}\n`)
    process.exitCode = 1
  } else process.exitCode = await commandsWith(WINGS)[line.command]?.run(line, program)
} catch (error) {
  const wrong = error instanceof WrongCommandLine
  const why = wrong ? `${error.message}\nTry: understudy --help` : describeFailure(error, program.home)
  program.complain(`understudy: ${why}\n`)
  process.exitCode = wrong ? 2 : 1
}
