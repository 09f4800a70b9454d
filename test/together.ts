// Runs several test files in this one process, each as a suite, so that a hook of one is not a hook of all.

import { suite } from 'node:test'

for (const file of process.env.TOGETHER?.split(',') ?? [])
  await suite(file, async () => void (await import(`./${file}`)))
