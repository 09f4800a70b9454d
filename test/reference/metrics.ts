// The table of metrics, made of the page itself, after requests that give every one of them something to count.

import { startGateway } from '../../src/index.ts'
import { table } from './table.ts'

export async function describeMetrics(): Promise<string> {
  const gateway = await startGateway({ config: 'config/gateway.yaml' })
  try {
    const headers = { authorization: 'Bearer demo-key' }
    for (const path of ['/pets', '/pets/1', '/pets/none']) await (await fetch(gateway.url + path, { headers })).text()
    await (await fetch(`${gateway.url}/pets`)).text()
    return describePage(await (await fetch(`${gateway.control}/metrics`)).text())
  } finally {
    await gateway.close()
  }
}

/** The families of a page in the Prometheus text format, without those that tell of the process. */
function describePage(page: string): string {
  const rows = page.split('\n').flatMap(line => {
    const [, name, help] = /^# HELP (\S+) (.*)$/.exec(line) ?? []
    if (name === undefined || help === undefined || /^(?:process|nodejs)_/.test(name)) return []
    const type = new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(page)?.[1] ?? ''
    const labels = labelsOf(name, page).map(label => `\`${label}\``)
    return [[`\`${name}\``, type, labels.join(', ') || '·', help]]
  })
  return table(['metric', 'type', 'labels', 'meaning'], rows)
}

function labelsOf(name: string, page: string): string[] {
  const samples = page.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{([^}]*)\\}`, 'gm'))
  const names = [...samples].flatMap(([, text]) => [...(text as string).matchAll(/(\w+)="/g)].map(([, label]) => label))
  return [...new Set(names)].filter(label => label !== undefined && label !== 'le') as string[]
}
