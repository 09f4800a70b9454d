// The files that deploy replicas: their references exist, and their configuration serves with a real Redis.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { NO_REDIS, RedisServer } from '../../../wire/redis-server.ts'
import { Replicas } from '../../../wire/replicas.ts'

const read = (name: string): string => readFileSync(`deploy/${name}`, 'utf8')
const GATEWAY = read('gateway.yaml')
const gateway = parse(GATEWAY) as { readonly listen: { readonly expose: readonly string[] } }
const variables = [...GATEWAY.matchAll(/\$\{(\w+)/g)].map(([, name]) => name)

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly configs?: readonly { readonly source: string }[]
  readonly healthcheck?: object
}
const compose = parse(read('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: object
  readonly configs: Readonly<Record<string, { readonly content: string }>>
}

test('compose.yaml refers to existing services, files, volumes and configs', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      const target = compose.services[other]
      assert.ok(target !== undefined, `${name} depends on ${other}`)
      // The image of the gateway has a health check.
      assert.ok(condition === 'service_healthy' && (target.healthcheck ?? target.image === 'understudy'), other)
    }
    for (const { source } of service.configs ?? []) assert.ok(source in compose.configs, source)
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':')
      assert.ok(from.startsWith('.') ? existsSync(join('deploy', from)) : from in compose.volumes, volume)
    }
    assert.match(service.image, /^[a-z/]+(?::[\w.-]+)?$/)
  }
  const upstreams = [...(compose.configs.nginx?.content ?? '').matchAll(/server (\S+):4010;/g)].map(([, name]) => name)
  const scraped = [...(compose.configs.prometheus?.content ?? '').matchAll(/"([\w-]+):4010"/g)].map(([, name]) => name)
  assert.deepEqual(upstreams, ['replica-1', 'replica-2'])
  assert.deepEqual(scraped, upstreams)
  for (const name of upstreams) {
    const replica = compose.services[name as string]
    assert.deepEqual(Object.keys(replica?.environment ?? {}).sort(), variables.toSorted())
    assert.deepEqual(replica?.command?.slice(0, 3), ['node', '/app/dist/cli.js', 'serve'])
  }
  for (const name of ['prometheus', 'grafana-source', 'grafana-dashboards']) parse(compose.configs[name]?.content ?? '')
})

interface Container {
  readonly name: string
  readonly image: string
  readonly command: readonly string[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly envFrom?: readonly { readonly secretRef: { readonly name: string } }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly [probe: `${string}Probe`]: { readonly httpGet?: { readonly path: string; readonly port: string } }
}
interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec: {
    readonly selector: { readonly matchLabels?: object }
    readonly ports: readonly { readonly targetPort: string }[]
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
    readonly template: {
      readonly metadata: { readonly labels: object }
      readonly spec: {
        readonly containers: readonly Container[]
        readonly volumes?: readonly { readonly name: string }[]
      }
    }
  }
}
const manifests = parseAllDocuments(read('kubernetes.yaml')).map(document => document.toJS() as Manifest)
const API_VERSIONS: Readonly<Record<string, string>> = {
  ConfigMap: 'v1',
  Secret: 'v1',
  Service: 'v1',
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
}

test('kubernetes.yaml refers to existing ports, volumes and labels, and has the same configuration', () => {
  const workloads = manifests.filter(({ spec }) => spec?.template !== undefined)
  for (const { kind, apiVersion } of manifests) assert.equal(apiVersion, API_VERSIONS[kind], kind)
  for (const { spec } of workloads) {
    const { containers, volumes = [] } = spec.template.spec
    assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels)
    const known = [
      ...volumes.map(({ name }) => name),
      ...(spec.volumeClaimTemplates ?? []).map(one => one.metadata.name),
    ]
    for (const container of containers) {
      for (const { name } of container.volumeMounts) assert.ok(known.includes(name), name)
      for (const key of Object.keys(container).filter(name => name.endsWith('Probe'))) {
        const { httpGet } = container[key as 'livenessProbe'] ?? {}
        if (httpGet === undefined) continue
        assert.ok(gateway.listen.expose.includes(httpGet.path.slice(1)), httpGet.path)
        assert.ok(container.ports.some(({ name }) => name === httpGet.port))
      }
    }
  }
  for (const { spec } of manifests.filter(({ kind }) => kind === 'Service')) {
    const target = workloads.find(
      workload => JSON.stringify(workload.spec.selector.matchLabels) === JSON.stringify(spec.selector),
    )
    const ports = target?.spec.template.spec.containers.flatMap(container => container.ports.map(({ name }) => name))
    for (const { targetPort } of spec.ports) assert.ok(ports?.includes(targetPort), targetPort)
  }
  const find = (kind: string) =>
    manifests.find(manifest => manifest.kind === kind && manifest.metadata.name === 'understudy')
  assert.equal(find('ConfigMap')?.data?.['gateway.yaml'], GATEWAY)
  assert.deepEqual(Object.keys(find('Secret')?.stringData ?? {}).sort(), variables.toSorted())
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  assert.equal(find('Deployment')?.spec.template.spec.containers[0]?.image, `understudy:${version}`)
})

const server = new RedisServer()
const replicas = new Replicas()
after(async () => {
  replicas.end()
  await server.remove()
})

test('the configuration that is deployed serves with a Redis', { skip: NO_REDIS }, async () => {
  await server.start()
  const replica = await replicas.start('deploy/gateway.yaml', { REDIS_URL: server.url })
  const { body } = await replica.send(
    'POST /pets',
    { name: 'Rex', categoryId: 1 },
    { authorization: 'Bearer demo-key' },
  )
  const made = await replica.send(`GET /pets/${body.id}`, undefined, { authorization: 'Bearer demo-key' })
  assert.equal(made.body.name, 'Rex', JSON.stringify(body))
  for (const path of gateway.listen.expose) assert.equal((await replica.send(`GET root:/${path}`)).status, 200, path)
})
