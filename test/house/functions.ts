// The functions of a file, with their names and lengths.

import ts from '@typescript/typescript6'

export interface FunctionLength {
  /** Its name, with that of its class: `Turns.take`; of a callback, that of the function which gets it: `Promise callback`. */
  readonly name: string
  readonly lines: number
}

export function functionsOf(path: string, text: string): FunctionLength[] {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  const lineOf = (position: number) => tree.getLineAndCharacterOfPosition(position).line
  const functions: FunctionLength[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      functions.push({ name: nameOf(node), lines: lineOf(node.end) - lineOf(node.getStart(tree)) + 1 })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return functions
}

function nameOf(node: ts.SignatureDeclaration): string {
  const { parent } = node
  if (ts.isConstructorDeclaration(node)) return `${nameOfClass(parent)}constructor`
  if (node.name !== undefined) return `${nameOfClass(parent)}${node.name.getText()}`
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText()
  if (ts.isPropertyDeclaration(parent)) return `${nameOfClass(parent.parent)}${parent.name.getText()}`
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) {
    const called = parent.expression
    return `${ts.isPropertyAccessExpression(called) ? called.name.text : called.getText()} callback`
  }
  const outer = ts.findAncestor(parent, ts.isFunctionLike)
  return outer === undefined ? 'function' : `function of ${nameOf(outer)}`
}

const nameOfClass = (node: ts.Node): string =>
  ts.isClassLike(node) && node.name !== undefined ? `${node.name.text}.` : ''
