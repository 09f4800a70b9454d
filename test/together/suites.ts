// Runs test files in this one process, each as a suite, so that a hook of one file is not a hook of all.

import { suite } from 'node:test'

/**
 * @param group the files to run: the environment variable of this name lists them, separated by commas
 * @param concurrency how many files run at the same time
 */
export async function runTogether(group: string, concurrency: number): Promise<void> {
  const files = process.env[group]?.split(',') ?? []
  await suite(group.toLowerCase(), { concurrency }, () => {
    for (const file of files) suite(file, async () => void (await import(`../${file}`)))
  })
}
