import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim'
import { Pod } from 'kubernetes-models/v1/Pod'
import { Secret } from 'kubernetes-models/v1/Secret'
import { Service } from 'kubernetes-models/v1/Service'
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { hashChart } from '../../scripts/chart/hash-chart.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { parseYamlConfig } from '../support/parse-yaml-config.ts'
import { startGateway } from '../support/start-gateway.ts'

const root = resolve(import.meta.dirname, '../..')
const chart = join(root, 'deploy/helm/headgate')
const rendered = join(root, 'deploy/helm/rendered')
const isValues = (name: string): boolean => name.includes('.values.')
const names = readdirSync(rendered).filter((name) => !isValues(name))
const read = (name: string): string => readFileSync(join(rendered, name), 'utf8')

const objectSchema = z.looseObject({ apiVersion: z.string(), kind: z.string() })
type Manifest = z.output<typeof objectSchema>

const objectsOf = (name: string): readonly Manifest[] =>
  parseAllDocuments(read(name))
    .map((document): unknown => document.toJS())
    .filter((object) => object !== null)
    .map((object) => objectSchema.parse(object))

/** The models of Kubernetes, whose `validate` compares an object with the schema of its API. */
const models: Readonly<Record<string, new (object: never) => { validate(): void }>> = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceAccount,
}
/** Kinds of the Prometheus operator, which are not of Kubernetes. */
const ofOperator = ['ServiceMonitor', 'PrometheusRule']

const probeSchema = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) })
const deploymentSchema = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.object({
          runAsNonRoot: z.literal(true),
          runAsUser: z.number(),
          fsGroup: z.number(),
        }),
        containers: z.tuple([
          z.object({
            startupProbe: probeSchema,
            readinessProbe: probeSchema,
            livenessProbe: probeSchema,
            lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) }),
            securityContext: z.looseObject({ readOnlyRootFilesystem: z.literal(true) }),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
            env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
            volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
          }),
        ]),
      }),
    }),
  }),
})

function podOf(name: string) {
  const deployment = objectsOf(name).find(({ kind }) => kind === 'Deployment')
  const { spec } = deploymentSchema.parse(deployment).spec.template
  return { ...spec, container: spec.containers[0] }
}

/** The configuration file that a pod reads. */
function configurationOf(name: string): string {
  const maps = objectsOf(name).filter(({ kind }) => kind === 'ConfigMap')
  const texts = maps.map(({ data }) => z.record(z.string(), z.string()).parse(data)['headgate.yaml'])
  return texts.find((text) => text !== undefined) ?? ''
}

describe.each(names)('the chart rendered as %s', (name) => {
  it('is up to date with the chart: npx node scripts/render-chart.ts', () => {
    expect(read(name)).toContain(`# chart: ${hashChart(chart)}\n`)
  })

  it('has objects that the schemas of Kubernetes accept', () => {
    for (const object of objectsOf(name)) {
      const Model = models[object.kind]
      if (Model === undefined) expect(ofOperator).toContain(object.kind)
      else expect(() => new Model(object as never).validate()).not.toThrow()
    }
  })

  it('probes a pod on paths and ports that the gateway serves', async () => {
    const { container } = podOf(name)
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe]
    await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
    for (const { httpGet } of probes) {
      expect((await fetch(`${gateway.url}${httpGet.path}`)).status).toBe(200)
      expect(httpGet.port).toBe('http')
    }
    const ports = Object.fromEntries(container.ports.map((port) => [port.name, port.containerPort]))
    const listen = container.env.find((variable) => variable.name === 'HEADGATE_LISTEN')?.value
    const { admin } = parse(configurationOf(name)) as { readonly admin: { readonly listen: string } }
    expect([listen, admin.listen]).toEqual([`0.0.0.0:${ports['http']}`, `0.0.0.0:${ports['admin']}`])
  })

  it('gives a pod the time that it needs to stop', () => {
    const { container, terminationGracePeriodSeconds } = podOf(name)
    const { drain } = parseYamlConfig(configurationOf(name), { OPENAI_API_KEY: 'one' }).input
    if (drain === undefined) throw new Error('the chart sets no drain')
    const needed = container.lifecycle.preStop.sleep.seconds + drain / 1_000
    // A second for the last words of streams, five for what is closed after them.
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(needed + 6)
  })

  it('runs as the user of the image, writes only where the image does, and configures the settings that it reads', () => {
    const { container, securityContext } = podOf(name)
    const image = readFileSync(join(root, 'Dockerfile'), 'utf8')
    expect(image).toContain(`USER ${securityContext.runAsUser}:${securityContext.fsGroup}`)
    const mounts = Object.fromEntries(container.volumeMounts.map((mount) => [mount.name, mount.mountPath]))
    expect(image).toContain(`HEADGATE_DATA=${mounts['data']}`)
    expect(image).toContain(`WORKDIR ${mounts['config']}`)
  })
})

it('one pod on SQLite is never replaced by a second one that runs beside it', () => {
  expect(read('sqlite.yaml')).toContain('type: Recreate')
  expect(read('postgres.yaml')).toContain('maxUnavailable: 0')
})

it('additional files are volumes of the pod', () => {
  const authorities = { name: 'authorities', mountPath: '/etc/authorities', readOnly: true }
  expect(podOf('everything.yaml').container.volumeMounts).toContainEqual(authorities)
})

it('the idle pod in the documentation has the volume of the chart, and the user of the image', () => {
  const page = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8')
  const [, text = ''] = /```yaml\n(apiVersion: v1\nkind: Pod\n[^`]*)```/.exec(page) ?? []
  const pod: unknown = parse(text)
  expect(() => new Pod(pod as never).validate()).not.toThrow()
  const claim = objectsOf('sqlite.yaml').find(({ kind }) => kind === 'PersistentVolumeClaim')
  const { name } = z.object({ name: z.string() }).parse(claim?.['metadata'])
  const { container, securityContext } = podOf('sqlite.yaml')
  const mount = container.volumeMounts.find(({ mountPath }) => mountPath === '/data')
  expect(pod).toMatchObject({
    spec: {
      securityContext: { runAsUser: securityContext.runAsUser, fsGroup: securityContext.fsGroup },
      containers: [{ volumeMounts: [{ mountPath: mount?.mountPath }] }],
      volumes: [{ persistentVolumeClaim: { claimName: name } }],
    },
  })
})

const helm = process.env['HELM']

it.skipIf(helm === undefined).each([
  ['drain=1h', 'shutdown.drainSeconds'],
  ['tls.cert=a', 'the ingress'],
  ['listen=a', 'bindAddress'],
  ['data=a', 'persistence or scratch'],
  ['database_url=a', 'HEADGATE_DATABASE_URL'],
  ['admin.listen=a', 'bindAddress'],
  ['admin.hosts={a}', 'adminHosts'],
])('the chart refuses config.%s, which %s sets instead', (setting, instead) => {
  const values = join(rendered, 'postgres.values.yaml')
  const words = ['template', 'headgate', chart, '--kube-version', '1.37.0', '--values', values]
  const { status, stderr } = spawnSync(helm ?? 'helm', [...words, '--set', `config.${setting}`], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, expect.stringContaining(`is said by ${instead}`)])
})

it('the autoscaler uses a metric that the gateway has', () => {
  const metric = 'headgate_active_requests'
  const known = createMetrics({ version: '', node: '', platform: '' }).describe()
  expect(known.map(({ name }) => name)).toContain(metric)
  expect(read('everything.yaml')).toContain(`name: ${metric}`)
})

describe('the schema of the values', () => {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')))

  it.each([
    join(chart, 'values.yaml'),
    ...readdirSync(rendered)
      .filter(isValues)
      .map((name) => join(rendered, name)),
  ])('accepts %s', (path) => {
    expect(schema.safeParse(parse(readFileSync(path, 'utf8'))).error?.issues ?? []).toEqual([])
  })

  it('refuses a name that the chart does not have', () => {
    expect(schema.safeParse({ replica: 3 }).success).toBe(false)
    expect(schema.safeParse({ shutdown: { drain: 30 } }).success).toBe(false)
  })
})
