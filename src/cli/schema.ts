// `understudy schema`.

import type { Plan } from '../plan/plan.ts'
import { type Command, load, withPlan } from './command.ts'

export const schema: Command = {
  about: "print the JSON Schema of gateway.yaml; with a FILE, with the names of that file's contract",
  options: {},
  reads: true,
  async run(line, program) {
    const { print } = program
    if (line.file !== '') {
      return withPlan(await load(line, program), line, program, async plan => print(await describeSchema(plan)))
    }
    print(await describeSchema(undefined))
    return 0
  },
}

/** The JSON Schema of gateway.yaml, with the names of a plan's contract. It is loaded when it is needed. */
export async function describeSchema(plan: Plan | undefined): Promise<string> {
  const { publishedSchema, schemaFor } = await import('../plan/published-schema.ts')
  return `${JSON.stringify(await (plan === undefined ? publishedSchema() : schemaFor(plan)), null, 2)}\n`
}
