// Reads the workflows and the action by the parser of GitHub. Prints the mistakes, and fails if there is one.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser'
import { parseAction } from '@actions/workflow-parser/actions/action-parser'

const ROOT = join(import.meta.dirname, '..')
const WORKFLOWS = '.github/workflows'

function mistakesOf(name: string, content: string): readonly string[] {
  const parse = name === 'action.yml' ? parseAction : parseWorkflow
  return parse({ name, content }, new NoOperationTraceWriter()).context.errors.getErrors().map(String)
}

const files = ['action.yml', ...readdirSync(join(ROOT, WORKFLOWS)).map(name => `${WORKFLOWS}/${name}`)]
for (const file of files) {
  const text = readFileSync(join(ROOT, file), 'utf8')
  assert.deepEqual(mistakesOf(file, text), [], file)
  assert.notDeepEqual(mistakesOf(file, text.replace(/^(\s*)runs/m, '$1run')), [], 'the parser finds a planted mistake')
}
console.log(`${files.length} files of workflows have the form that GitHub reads`)
